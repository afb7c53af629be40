//! What an agent reads about the tool before it calls it, made from the tables that the tool runs.

use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use dialect::{Effect, Function, Library};
use futures::FutureExt;
use ide_library::{
    Answer, DefinitionsQuestion, Host, LinesQuestion, ReferencesQuestion, SearchQuestion, library,
};
use ide_protocol::{DefinitionsResult, LinesResult, ReferencesResult, SearchResult};

/// Says first what the tool replaces: agents leave optional tools unused. Then programs that work as they
/// stand, since the first one that a model guesses should.
pub(crate) static DESCRIPTION: LazyLock<String> = LazyLock::new(|| {
    let mut text = INTRODUCTION.to_owned();
    table().functions.iter().for_each(|it| describe(&mut text, it));
    text.push_str(RULES);
    text
});

/// Whether no program can change anything.
pub(crate) fn only_reads() -> bool {
    table().functions.iter().all(|it| it.effect <= Effect::Reads)
}

const INTRODUCTION: &str = "\
Use this instead of grep, find and reading whole files: it knows this workspace the way an IDE does.

Programs to start with:
  brief(findReferences(`validateToken`))   every use of a symbol, as path:line: text
  source(`validateToken`)                  the source text of its definition
  findDefinitions(`User`)                  where it is defined, with its kind and range
  brief(search(`src`, `TODO|FIXME`))       a regular expression over files, .gitignore honoured

Functions:
";

const RULES: &str = "
A program is one expression: JSON with calls. Strings in backticks are raw. Calls nest: \
findReferences(findDefinition(`User`)). Arguments go by position or by name: search(`.`, pattern=`fn \\w+`). \
Paths are relative to the workspace, lines and columns count from 1.
A value comes back as JSON. When a name has several meanings, the answer lists a program for each: send one of \
them. When something is wrong, the answer says what to write instead.
";

fn describe(text: &mut String, function: &Function) {
    let Function { signature, aliases, summary, examples, .. } = function;
    let also = if aliases.is_empty() { String::new() } else { format!(" (or {})", aliases.join(", ")) };
    let example = examples.first().map_or(String::new(), |it| format!(" E.g. {it}"));
    writeln!(text, "{signature}{also}\n  {summary}{example}").expect("a string takes everything");
}

fn table() -> Library {
    library(Arc::new(Nobody))
}

/// Stands in for a host where tables are read and nothing is run.
struct Nobody;

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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::registry;
    use dialect::{Limits, Program};

    /// What 1,500 tokens come to, at four bytes a token.
    const BUDGET: usize = 6_000;

    #[test]
    fn it_names_every_function_within_its_budget() {
        assert!(DESCRIPTION.len() <= BUDGET, "{} bytes", DESCRIPTION.len());
        assert!(DESCRIPTION.starts_with("Use this instead of grep"));
        for function in table().functions {
            assert!(DESCRIPTION.contains(&function.signature), "{}", function.signature);
        }
    }

    #[test]
    fn every_program_in_it_can_be_read() {
        let registry = registry(Arc::new(Nobody));
        let introduced = INTRODUCTION.lines().filter_map(|it| it.strip_prefix("  ")?.split("   ").next());
        let table = table();
        let examples = table.functions.iter().flat_map(|it| it.examples.iter().map(String::as_str));
        let ruled = ["findReferences(findDefinition(`User`))", "search(`.`, pattern=`fn \\w+`)"];
        assert!(ruled.iter().all(|it| RULES.contains(it)));
        for program in introduced.chain(examples).chain(ruled) {
            if let Err(failures) = Program::parse(&registry, program, &Limits::default()) {
                panic!("{program}: {failures:?}");
            }
        }
    }

    #[test]
    fn nothing_writes_yet() {
        assert!(only_reads());
    }
}
