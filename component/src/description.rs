//! What an agent reads about the tool before it calls it, made from the registry that the tool runs.

use std::sync::Arc;

use dialect::{Effect, Registry, describe, reference, tokens};
use futures::FutureExt;
use ide_library::{
    Answer, DefinitionsQuestion, Host, LinesQuestion, ReferencesQuestion, SearchQuestion, SelectionQuestion,
};
use ide_protocol::{DefinitionsResult, LinesResult, ReferencesResult, SearchResult, SelectionResult};

use crate::extension::Extensions;
use crate::permission::Pass;

/// How many tokens the description may have.
const BUDGET: usize = 1_500;

/// Says first what the tool replaces: agents leave optional tools unused. Then programs that work as they
/// stand, since the first one that a model guesses should; then the rules, since some agents cut what is long.
pub(crate) fn description(registry: &Registry) -> String {
    within(registry, BUDGET)
}

/// The same within that many tokens. The names of all functions are in it, so where it is tight programs and rules go
/// without which an agent can start: answers teach them.
fn within(registry: &Registry, budget: usize) -> String {
    let names = tokens(&describe(registry, "", 0));
    let whole = format!("{PROGRAMS}{RULES}");
    let fits = |preamble: &str| tokens(preamble) + names <= budget;
    let preambles = [whole.as_str(), PROGRAMS];
    let first = preambles.into_iter().find(|it| fits(it));
    describe(registry, first.unwrap_or(PURPOSE), budget)
}

/// Everything that a program can name, with nobody to ask: for looking at programs, not for running them.
pub fn vocabulary() -> Registry {
    all(&Extensions::built_in())
}

/// The same with what extensions bring.
pub(crate) fn all(extensions: &Extensions) -> Registry {
    extensions.registry(Arc::new(Nobody), &Pass::default())
}

/// The manual of everything that a program can name, as Markdown.
pub fn manual() -> String {
    format!("{MANUAL}\n{}", reference(&vocabulary()))
}

/// Whether no program can change anything, or needs to ask for more than reading.
pub(crate) fn only_reads(registry: &Registry) -> bool {
    registry.effects().all(|it| it <= Effect::Reads) && registry.requirements().next().is_none()
}

/// What is said however tight it is.
const PURPOSE: &str = "\
Use this instead of grep, find and reading whole files: brief(findReferences(`name`)), source(`name`), \
brief(search(`.`, `TODO|FIXME`)). help(`name`) explains a function.
";

const PROGRAMS: &str = "\
Use this instead of grep, find and reading whole files: it knows this workspace the way an IDE does.

Programs to start with:
  brief(findReferences(`validateToken`))   every use of a symbol, as path:line: text
  source(`validateToken`)                  the source text of its definition
  findDefinitions(`User`)                  where it is defined, with its kind and range
  brief(search(`.`, `TODO|FIXME`))         a regular expression over files, without ignored ones

";

const RULES: &str = "\
A program is JSON with calls. Text in backticks is raw. Arguments go by position or by name, and calls nest: \
brief(search(`.`, pattern=`fn \\w+`)). x.f(y) is f(x, y); lambdas are x => x.path; lines before the last bind names: \
x = …. Paths are relative to the workspace, lines and columns count from 1.
A value comes back as JSON. When a name has several meanings, the answer lists a program for each: send one of \
them. When something is wrong, the answer says what to write instead. help(`name`) explains a function or type.

";

const MANUAL: &str = "\
# Reference

All functions, types and conversions of programs. For the language itself, see [its grammar](shared/dialect/GRAMMAR.md) \
and [its manual](shared/dialect/spec). The tests generate this file: `UPDATE_EXPECT=1 cargo test -p component`.
";

/// Stands in for a host where tables are read and nothing is run.
pub(crate) struct Nobody;

impl Host for Nobody {
    fn definitions(&self, _: DefinitionsQuestion) -> Answer<'_, DefinitionsResult> {
        std::future::pending().boxed()
    }

    fn references(&self, _: ReferencesQuestion) -> Answer<'_, ReferencesResult> {
        std::future::pending().boxed()
    }

    fn search(&self, _: SearchQuestion) -> Answer<'_, SearchResult> {
        std::future::pending().boxed()
    }

    fn lines(&self, _: LinesQuestion) -> Answer<'_, LinesResult> {
        std::future::pending().boxed()
    }

    fn selection(&self, _: SelectionQuestion) -> Answer<'_, SelectionResult> {
        std::future::pending().boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialect::{Limits, Program};
    use expect_test::{expect, expect_file};

    #[test]
    fn it_names_every_function_within_its_budget() {
        let description = description(&vocabulary());
        assert!(description.starts_with("Use this instead of grep"));
        for signature in vocabulary().signatures() {
            assert!(description.contains(&signature.name), "{}", signature.name);
        }
        let counted = bpe_openai::o200k_base().count(&description);
        assert!(counted <= BUDGET, "{counted} tokens:\n{description}");
    }

    /// What the agent is sent costs what it may, at any budget that somebody may set, and says nothing twice.
    #[test]
    fn it_costs_what_it_may() {
        let counted = |budget: usize| {
            let text = within(&vocabulary(), budget);
            let count = bpe_openai::o200k_base().count(&text);
            assert!(count <= budget, "{count} of {budget} tokens:\n{text}");
            assert_eq!(text, within(&vocabulary(), budget), "it is the same each time");
            let mut seen = std::collections::HashSet::new();
            let sentences = text.lines().flat_map(|it| it.split(". ")).map(str::trim);
            let twice: Vec<&str> = sentences.filter(|it| it.len() > 20 && !seen.insert(*it)).collect();
            assert!(twice.is_empty(), "{twice:?}");
            let functions = vocabulary();
            let named = functions.signatures().filter(|it| text.contains(&format!("{}(", it.name))).count();
            format!("{budget}: {count} tokens, {} bytes, {named} names with brackets\n", text.len())
        };
        expect![[r#"
            300: 297 tokens, 1221 bytes, 6 names with brackets
            800: 740 tokens, 2940 bytes, 28 names with brackets
            1500: 1392 tokens, 5602 bytes, 39 names with brackets
            4000: 3313 tokens, 12421 bytes, 75 names with brackets
        "#]]
        .assert_eq(&[300, 800, 1_500, 4_000].map(counted).concat());
    }

    #[test]
    fn tokens_are_counted_about_right() {
        let (description, manual) = (description(&vocabulary()), manual());
        for (what, text) in [
            ("the description", description.as_str()),
            ("the manual", &manual),
            ("prose", include_str!("../../README.md")),
            ("code", include_str!("cut.rs")),
        ] {
            let counted = bpe_openai::o200k_base().count(text) as f64;
            let error = tokens(text) as f64 / counted - 1.0;
            assert!((-0.05..0.2).contains(&error), "{what}: {counted} tokens, {:+.1} %", error * 100.0);
        }
    }

    #[test]
    fn it_is_the_same_each_time() {
        assert_eq!(description(&vocabulary()), description(&vocabulary()));
    }

    #[test]
    fn every_program_in_it_can_be_read() {
        let registry = vocabulary();
        let introduced = PROGRAMS.lines().filter_map(|it| it.strip_prefix("  ")?.split("   ").next());
        let manual = manual();
        let examples = manual.split("```dialect\n").skip(1).filter_map(|it| it.split("```").next());
        let ruled = "brief(search(`.`, pattern=`fn \\w+`))";
        assert!(RULES.contains(ruled));
        let first = ["brief(findReferences(`name`))", "source(`name`)", "brief(search(`.`, `TODO|FIXME`))"];
        assert!(first.iter().all(|it| PURPOSE.contains(it)));
        let said = first.into_iter().chain([ruled]);
        let programs: Vec<_> = introduced.chain(examples.flat_map(str::lines)).chain(said).collect();
        assert!(programs.len() > 15, "{programs:?}");
        for program in programs {
            if let Err(failures) = Program::parse(&registry, program, &Limits::default()) {
                panic!("{program}: {failures:?}");
            }
        }
    }

    #[test]
    fn the_manual_is_up_to_date() {
        expect_file!["../../REFERENCE.md"].assert_eq(&manual());
    }

    #[test]
    fn only_edits_write() {
        let vocabulary = vocabulary();
        assert!(!only_reads(&vocabulary));
        let needs: Vec<_> = vocabulary.requirements().map(|it| it.capability.clone()).collect();
        assert_eq!(needs, ["prelude/FileSystemWrite"]);
        let reads = |it: &str| {
            let limits = Limits::default();
            Program::parse(&vocabulary, it, &limits).is_ok_and(|it| it.effect() <= Effect::Reads)
        };
        assert!(reads("rename(`User`, `Account`)") && !reads("applyEdits(rename(`User`, `Account`))"));
    }
}
