//! Ambiguities: several symbols have the name of the one that is wanted.

use std::cmp::Reverse;

use dialect::{Choice, Interrupt, Question, Value};
use ide_protocol::Definition;
use source_text::shorten;

use crate::naming::inexact_match;
use crate::selection::Selection;
use crate::spelling::symbol_of;
use crate::symbol::Symbol;

/// The maximum number of candidates that one question offers.
pub(crate) const OFFERED: usize = 12;

/// The characters of a line that tell definitions apart.
const LINE: usize = 80;

/// Folders whose code is seldom meant.
const ASIDE: [&str; 12] = [
    "tests",
    "test",
    "testdata",
    "fixtures",
    "examples",
    "benches",
    "vendor",
    "third_party",
    "node_modules",
    "dist",
    "build",
    "generated",
];

/// Folders of copies of other projects.
const VENDORED: [&str; 10] = [
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "node_modules",
    "deps",
    "external",
    "extern",
];

/// Returns whether a definition is in a copy of another project that is checked in with this one.
pub(crate) fn is_vendored(definition: &Definition) -> bool {
    let folders = definition.name_at.path.rsplit_once('/').map_or("", |it| it.0);
    folders.split('/').any(|it| VENDORED.contains(&it))
}

/// Returns whether a definition is a macro of C that only gives a name to another: `#define dictNew hiredisDictNew`.
pub(crate) fn only_renames(definition: &Definition) -> bool {
    let line = definition.name_at.text.as_deref().unwrap_or_default();
    let Some(rest) = line.trim_start().strip_prefix('#') else { return false };
    let is_name = |it: &str| {
        let first = it.chars().next();
        first.is_some_and(|it| it.is_alphabetic() || it == '_')
            && it.chars().all(|it| it.is_alphanumeric() || it == '_')
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    matches!(&words[..], ["define", name, other] if *name == definition.name && is_name(other))
}

/// Returns the question which of several definitions is meant. It is about an argument of the calling function, or
/// about the converted expression.
///
/// `definitions` are two or more, the likeliest first.
pub(crate) fn which(name: &str, definitions: &[Definition], argument: Option<&str>) -> Interrupt {
    let count = definitions.len();
    let understood = inexact_match(name, definitions);
    let subject = if understood.is_some() { &definitions[0].name } else { name };
    let understood = understood.unwrap_or_default();
    let rest = if count > OFFERED {
        format!(" These are the likeliest {OFFERED}; all are listed by brief(findDefinitions(`{name}`)).")
    } else {
        String::new()
    };
    Interrupt::Ambiguous(Question {
        question: format!("{understood}`{subject}` is defined in {count} places. Which one is meant?{rest}"),
        argument: argument.map(str::to_owned),
        choices: definitions.iter().take(OFFERED).map(|it| choice(it, definitions)).collect(),
    })
}

/// Returns the question which of the symbols in a selection is meant. There are two or more.
pub(crate) fn which_named(selection: &Selection, definitions: &[Definition]) -> Interrupt {
    let count = definitions.len();
    let rest = if count > OFFERED { " These are the first of them." } else { "" };
    let (place, choices) = (selection.display(), definitions.iter().take(OFFERED));
    Interrupt::Ambiguous(Question {
        question: format!("The selection, {place}, names {count} symbols. Which one is meant?{rest}"),
        argument: None,
        choices: choices.map(|it| choice(it, definitions)).collect(),
    })
}

fn choice(definition: &Definition, all: &[Definition]) -> Choice {
    Choice { description: apart(definition, all), value: pin(definition, all) }
}

/// Describes a definition by what distinguishes it from the others: ``the method `send` in Session``. Where kind and
/// container do not, its line does, and else its place.
fn apart(definition: &Definition, all: &[Definition]) -> String {
    let Definition { name, kind, name_at, container, .. } = definition;
    let is_alike = |it: &&Definition| (&it.name, &it.kind, &it.container) == (name, kind, container);
    let count = |of: &dyn Fn(&&Definition) -> bool| all.iter().filter(is_alike).filter(of).count();
    let text = name_at.text.as_deref().map(|it| it.trim_end_matches([' ', '{']));
    let place = format!("{}:{}", name_at.path, name_at.start.line);
    let mark = match text {
        _ if count(&|_| true) == 1 => String::new(),
        Some(text) if count(&|it| it.name_at.text == name_at.text) == 1 => {
            format!(": {}", shorten(text, LINE))
        }
        _ => format!(" at {place}"),
    };
    let external = if name_at.external { " (external)" } else { "" };
    let inside = container.as_ref().map(|it| format!(" in {it}")).unwrap_or_default();
    format!("the {} `{name}`{inside}{external}{mark}", describe_kind(kind))
}

/// Returns the symbol with a pin that distinguishes it from the others: the text `NAME@PATH:LINE`, or else an object.
fn pin(definition: &Definition, all: &[Definition]) -> Value {
    let symbol = Symbol::from_definition(definition);
    let is_alone = all.iter().filter(|it| Symbol::from_definition(it) == symbol).count() == 1;
    let symbol = if is_alone { symbol } else { Symbol::with_column_of(definition) };
    let text = symbol.text();
    match symbol_of(&text) == symbol {
        true => Value::from(text),
        false => Value::from_record("Symbol", &symbol).expect("a symbol is an object of texts and numbers"),
    }
}

/// Describes a definition: ``the struct `User` at src/a.rs:12 (in auth)``.
pub(crate) fn describe(definition: &Definition) -> String {
    let Definition { name, kind, name_at, container, .. } = definition;
    let external = if name_at.external { " (external)" } else { "" };
    let inside = container.as_ref().map(|it| format!(" (in {it})")).unwrap_or_default();
    let place = format!("{}:{}", name_at.path, name_at.start.line);
    format!("the {} `{name}` at {place}{external}{inside}", describe_kind(kind))
}

/// Returns a kind in words: `enum member` for `enumMember`.
pub(crate) fn describe_kind(kind: &str) -> String {
    let mut words = String::with_capacity(kind.len() + 1);
    for char in kind.chars() {
        if char.is_uppercase() {
            words.push(' ');
        }
        words.extend(char.to_lowercase());
    }
    words
}

/// Returns whether a definition of the workspace is in a hidden folder, where copies of its code may be.
fn is_hidden(definition: &Definition) -> bool {
    let is_hidden = |it: &str| it.starts_with('.') && !matches!(it, "." | "..");
    !definition.name_at.external && definition.name_at.path.split('/').any(is_hidden)
}

/// Sorts by likelihood: the workspace before dependencies, its code before copies in hidden folders and before tests,
/// types before functions before fields. Otherwise the host's order stays.
pub(crate) fn likeliest_first(definitions: &mut [Definition]) {
    definitions.sort_by_cached_key(|it| {
        let is_aside = it.name_at.path.split('/').any(|part| ASIDE.contains(&part));
        (it.name_at.external, is_hidden(it), is_aside, Reverse(weight(&it.kind)))
    });
}

/// Returns the weight of a kind: the likelihood that a bare name means it.
fn weight(kind: &str) -> u8 {
    match kind {
        "class" | "struct" | "interface" | "enum" | "trait" | "typeAlias" | "object" => 3,
        "function" | "method" | "constructor" | "macro" => 2,
        "module" | "namespace" | "package" | "constant" => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn copies_in_hidden_folders_are_last_of_the_workspace() {
        let definition = |path: &str, external: bool| -> Definition {
            let start = json!({"line": 1, "column": 1});
            let range = json!({"path": path, "start": start, "end": start, "external": external});
            let definition = json!({"name": "f", "kind": "function", "definedAt": range, "nameAt": range});
            serde_json::from_value(definition).expect("it is one")
        };
        let library = "/home/me/.cargo/a.rs";
        let paths = [".claude/worktrees/wt/a.rs", library, "tests/a.rs", "wt/a.rs", "src/a.rs"];
        let mut found: Vec<_> = paths.iter().map(|it| definition(it, *it == library)).collect();
        likeliest_first(&mut found);
        let order: Vec<_> = found.iter().map(|it| it.name_at.path.as_str()).collect();
        assert_eq!(order, ["wt/a.rs", "src/a.rs", "tests/a.rs", ".claude/worktrees/wt/a.rs", library]);
    }

    #[test]
    fn macros_that_only_rename_are_known() {
        for (line, expected) in [
            ("#define dictNew hiredisDictNew", true),
            ("  # define dictNew _dictNew", true),
            ("#define dictNew 1", false),
            ("#define dictNew(x) other", false),
            ("#define dictNew other + 1", false),
            ("#define other dictNew", false),
            ("int dictNew(void) {", false),
        ] {
            let start = json!({"line": 1, "column": 9});
            let range = json!({"path": "dict.h", "start": start, "end": start, "text": line});
            let definition = json!({"name": "dictNew", "kind": "macro", "definedAt": range, "nameAt": range});
            let definition: Definition = serde_json::from_value(definition).expect("it is one");
            assert_eq!(only_renames(&definition), expected, "{line}");
        }
    }
}
