//! The description of the tool for agents, made from the registry that the tool runs.

use std::sync::Arc;

use dialect::{Effect, Function, Registry, describe, reference, tokens};

use crate::extension::Extensions;
use crate::no_host::NoHost;
use crate::permission::CallPermit;
use crate::tool::answer::TOOL_NAME;

/// Returns the description in at most `budget` tokens. It always names all functions. It says first what the tool replaces, since agents leave optional tools unused.
/// Programs that work come next, since models imitate the first one. The rules come last, since some agents cut
/// long texts. Where there is little room, it leaves out programs and rules, which answers teach too.
pub(crate) fn description(registry: &Registry, budget: usize) -> String {
    let names = tokens(&describe(registry, "", 0));
    let whole = format!("{PROGRAMS}{RULES}");
    let fits = |preamble: &str| tokens(preamble) + names <= budget;
    let preambles = [whole.as_str(), BRIEF];
    let first = preambles.into_iter().find(|it| fits(it));
    describe(registry, first.unwrap_or(PURPOSE), budget)
}

/// Returns the text about the tool for the system prompt of an agent that knows our server by that name.
pub(crate) fn introduction(server: &str) -> String {
    format!(
        "The tool `{TOOL_NAME}` of the MCP server `{server}` knows this workspace the way an IDE does. Use it instead of \
         grep, find and reading whole files: for definitions, references (usages) and callers of a symbol, for renaming, \
         and for what an edit broke. It takes a program: {}.",
        INTRODUCED.join(", ")
    )
}

/// The programs in the text for system prompts.
const INTRODUCED: [&str; 6] = [
    "findReferences(`name`)",
    "findCallers(`name`)",
    "source(`name`)",
    "search(`.`, `regex`)",
    "applyEdits(rename(`old`, `new`))",
    "diagnostics(since=`edit`)",
];

/// Returns everything that a program can name, with a host that answers nothing: for checking programs, not for
/// running them.
pub fn vocabulary() -> Registry {
    all(&Extensions::built_in())
}

/// Returns the functions about the code of a workspace, with code that answers nothing.
pub fn ide_functions() -> Vec<Function> {
    ide_library::library(Arc::new(NoHost)).functions
}

/// Returns the vocabulary with extensions.
pub(crate) fn all(extensions: &Extensions) -> Registry {
    extensions.registry(Arc::new(NoHost), &CallPermit::default())
}

/// Returns the manual of everything that a program can name, as Markdown.
pub fn manual() -> String {
    format!("{MANUAL}\n{}", reference(&vocabulary()))
}

/// Returns whether no program can change anything, or needs a permission beyond reading.
pub(crate) fn only_reads(registry: &Registry) -> bool {
    registry.effects().all(|it| it <= Effect::Reads) && registry.requirements().next().is_none()
}

/// The part of the description that no budget leaves out.
const PURPOSE: &str = "\
Use this instead of grep, find and reading whole files, for the definition, references, usages and callers of a symbol, \
and to rename it: findReferences(`name`), source(`name`), search(`.`, `TODO|FIXME`). help(`name`) explains a function.
";

const PROGRAMS: &str = "\
Use this instead of grep, find and reading whole files: it knows the definition, references, usages and callers of every \
symbol the way an IDE does, and can rename it.

Programs to start with:
  findReferences(`validateToken`)          every use of a symbol, with its role and what it is in
  source(`validateToken`)                  the source text of its definition
  members(`User`)                          fields and methods of a type, inherited ones too
  findCallers(`User.load`, depth=2)        what calls it, and what calls that
  findReferences(`User@src/auth.rs`)       of the one in that file; `User@src/auth.rs:12` at that line
  findReferences(`User`).filter(r => r.role == `call` && !r.test).map(r => r.in).unique()
  findReferences(`User`).filter(r => r.signature)   what takes or returns it
  {a: findCallers(`load`), b: members(`User`)}      several questions in one call
  outline(`src/auth.rs`)                   what a file defines, nested, with line numbers
  search(`.`, `TODO|FIXME`)                a regular expression over files, without ignored ones
  applyEdits(rename(`User`, `Account`))    rename alone is a preview

";

/// The programs and the rules in few words.
const BRIEF: &str = "\
Use this instead of grep, find and reading whole files: it knows the definition, references, usages and callers of every \
symbol the way an IDE does, and can rename it. Programs:
  findReferences(`User.load`)   every use
  findReferences(`User@src/auth.rs`).filter(r => r.role == `call` && !r.test).map(r => r.in).unique()
  source(`load`)                the text of its definition
  findCallers(`load`, depth=2)
  outline(`src/auth.rs`)
  search(`src`, `TODO|FIXME`)   a regular expression
  applyEdits(rename(`User`, `Account`))
Text in backticks is raw; x.f(y) is f(x, y). Lists of places come back as lines; their elements have path, start, text, \
in, inKind, role (call, construct, import, read, write, type, implementation, comment, string), test. Definitions have name, kind, \
path, line; calls caller, callee, path, line. Where something is wrong or has several meanings, the answer says what to \
write. help(`name`) explains.

";

const RULES: &str = "\
A program is JSON with calls. Text in backticks is raw. Arguments go by position or by name, and calls nest: \
source(findDefinitions(symbol=`User`)). x.f(y) is f(x, y); lambdas are x => x.path, and bind no names; lines before the last do: \
x = …. Paths are relative to the workspace; the end of one is enough where it is unique. `typeshed:os.pyi` and the like are \
files of libraries. Lines and columns count from 1.
An answer is complete unless a note below it says what it lacks: no second call has to check it.
A list of places comes back as lines, `path:line:column` and what is known; rangeLines(`…`) around them is the list \
again. Elements have path, start, text, in, inKind, role, test, signature (it is in one), public, outside. \
Definitions have name, kind, path, line, container, definedAt (a range); calls have caller, callee, path, line, text, \
in, test. Other values are JSON.
role: call, construct, import, read, write, type, implementation, comment, string; with includeDeclaration=true also definition. \
outside: in another package than the definition. `replace` takes a literal part, with regex=true a pattern. kind, inKind: function, method, struct, class, interface, enum, \
constant, variable, field, module, …
When a name has several meanings, the answer lists a program for each: send one. When something is wrong, it says what to \
write. help(`name`) explains a function or type.

";

const MANUAL: &str = "\
# Reference

All functions, types and conversions of programs. For the language itself, see [its grammar](shared/dialect/GRAMMAR.md) \
and [its manual](shared/dialect/spec). The tests generate this file: `UPDATE_EXPECT=1 cargo test -p component`.
";

#[cfg(test)]
mod tests {
    use dialect::{Limits, Program};
    use expect_test::{expect, expect_file};

    use super::*;
    use crate::config::DESCRIPTION_TOKENS;

    #[test]
    fn it_names_every_function_within_its_budget() {
        let description = description(&vocabulary(), DESCRIPTION_TOKENS);
        assert!(description.starts_with("Use this instead of grep"));
        for signature in vocabulary().signatures() {
            assert!(description.contains(&signature.name), "{}", signature.name);
        }
        let counted = tiktoken_rs::o200k_base_singleton().count_ordinary(&description);
        assert!(counted <= DESCRIPTION_TOKENS, "{counted} tokens:\n{description}");
    }

    /// Checks that agents which search tools by words find this one by the words that people use.
    #[test]
    fn it_is_found_by_the_words_that_people_use() {
        for budget in [300, 700, 1_500, 4_000] {
            let text = description(&vocabulary(), budget);
            let words: std::collections::HashSet<&str> =
                text.split(|it: char| !it.is_ascii_alphabetic()).collect();
            for word in ["references", "callers", "rename", "definition", "symbol", "usages"] {
                assert!(words.contains(word), "{budget} tokens without `{word}`:\n{text}");
            }
        }
    }

    /// Checks that each budget is kept, and that nothing is repeated.
    #[test]
    fn it_costs_what_it_may() {
        let counted = |budget: usize| {
            let text = description(&vocabulary(), budget);
            let count = tiktoken_rs::o200k_base_singleton().count_ordinary(&text);
            assert!(count <= budget, "{count} of {budget} tokens:\n{text}");
            assert_eq!(text, description(&vocabulary(), budget), "it is the same each time");
            let mut seen = std::collections::HashSet::new();
            let sentences = text.lines().flat_map(|it| it.split(". ")).map(str::trim);
            let twice: Vec<&str> = sentences.filter(|it| it.len() > 20 && !seen.insert(*it)).collect();
            assert!(twice.is_empty(), "{twice:?}");
            let functions = vocabulary();
            let named = functions.signatures().filter(|it| text.contains(&format!("{}(", it.name))).count();
            format!("{budget}: {count} tokens, {} bytes, {named} names with brackets\n", text.len())
        };
        expect![[r#"
            300: 299 tokens, 1193 bytes, 5 names with brackets
            700: 655 tokens, 2526 bytes, 23 names with brackets
            1500: 1400 tokens, 5605 bytes, 40 names with brackets
            4000: 3679 tokens, 14158 bytes, 86 names with brackets
        "#]]
        .assert_eq(&[300, 700, 1_500, 4_000].map(counted).concat());
    }

    #[test]
    fn tokens_are_counted_about_right() {
        let (description, manual) = (description(&vocabulary(), DESCRIPTION_TOKENS), manual());
        for (what, text) in [
            ("the description", description.as_str()),
            ("the manual", &manual),
            ("prose", include_str!("../../../README.md")),
            ("code", include_str!("truncation.rs")),
        ] {
            let counted = tiktoken_rs::o200k_base_singleton().count_ordinary(text) as f64;
            let error = tokens(text) as f64 / counted - 1.0;
            assert!((-0.05..0.2).contains(&error), "{what}: {counted} tokens, {:+.1} %", error * 100.0);
        }
    }

    #[test]
    fn it_is_the_same_each_time() {
        assert_eq!(
            description(&vocabulary(), DESCRIPTION_TOKENS),
            description(&vocabulary(), DESCRIPTION_TOKENS)
        );
    }

    #[test]
    fn every_program_in_it_can_be_read() {
        let registry = vocabulary();
        let introduced = PROGRAMS.lines().filter_map(|it| it.strip_prefix("  ")?.split("   ").next());
        let manual = manual();
        let examples = manual.split("```dialect\n").skip(1).filter_map(|it| it.split("```").next());
        let ruled = "source(findDefinitions(symbol=`User`))";
        assert!(RULES.contains(ruled));
        let first = ["findReferences(`name`)", "source(`name`)", "search(`.`, `TODO|FIXME`)"];
        assert!(first.iter().all(|it| PURPOSE.contains(it)));
        let inline = first.into_iter().chain([ruled]).chain(INTRODUCED);
        let programs: Vec<_> = introduced.chain(examples.flat_map(str::lines)).chain(inline).collect();
        assert!(programs.len() > 15, "{programs:?}");
        for program in programs {
            if let Err(failures) = Program::parse(&registry, program, &Limits::default()) {
                panic!("{program}: {failures:?}");
            }
        }
    }

    #[test]
    fn the_text_for_system_prompts_is_short() {
        let text = introduction("dialect-2");
        let count = tokens(&text);
        assert!(count <= 120, "{count} tokens: {text}");
    }

    #[test]
    fn the_manual_is_up_to_date() {
        expect_file!["../../../REFERENCE.md"].assert_eq(&manual());
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
