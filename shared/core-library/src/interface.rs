//! The interface document, which declares the functions and their errors.

use std::sync::LazyLock;

use ailang::Interface;

/// The interface document that declares the library, as Markdown.
pub const DOCUMENT: &str = include_str!("../interface/core.md");

/// The interface, loaded once per process.
pub(crate) static INTERFACE: LazyLock<Interface> =
    LazyLock::new(|| Interface::built_in([("core.md", DOCUMENT)]));

#[cfg(test)]
mod tests {
    use ailang::{Document, Documents, Mismatch, Severity, Strictness, validate};

    use super::*;

    /// Returns the differences after one change of the document.
    fn mismatch(place: &str, instead: &str) -> Mismatch {
        assert_eq!(DOCUMENT.matches(place).count(), 1, "{place}");
        let example = |tool: &str| format!("tool=\"{}\"", name(tool));
        let text = DOCUMENT.replacen(place, instead, 1).replace(&example(place), &example(instead));
        let interface = Interface::built_in([("core.md", text.as_str())]);
        interface.library(crate::NAME, crate::code()).expect_err("they differ")
    }

    /// Returns `count` for `tool count(list: any)`.
    fn name(tool: &str) -> &str {
        tool.trim_start_matches("tool ").split('(').next().expect("a part comes first")
    }

    #[test]
    fn the_document_is_fit_to_be_published() {
        let mut documents = Documents::new();
        documents.insert("core.md", Document::parse(DOCUMENT));
        let found = validate(&documents, "core.md", Strictness::Strict).expect("it was added");
        let wrong: Vec<_> = found.iter().filter(|it| it.severity != Severity::Info).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(INTERFACE.warnings().collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn every_function_has_an_example_and_does_no_harm() {
        for row in INTERFACE.functions() {
            assert!(!row.examples.is_empty(), "{}", row.signature);
            assert_eq!(row.effect, dialect::Effect::Pure, "{}", row.signature);
        }
    }

    #[test]
    fn a_function_without_its_document_is_noticed() {
        let mismatch = mismatch("tool flatten(", "tool flattened(");
        assert_eq!(
            (mismatch.undocumented, mismatch.unimplemented),
            (vec!["flatten".into()], vec!["flattened".into()])
        );
    }

    #[test]
    fn a_function_that_takes_something_else_is_noticed() {
        for (place, instead) in [
            ("tool first(list:", "tool first(items:"),
            ("tool split(text: string, separator?: string)", "tool split(text: string, separator: string)"),
            ("tool trim(text: string)", "tool trim(text: string, sides?: string)"),
        ] {
            let mismatch = mismatch(place, instead);
            let [(declared, _)] = mismatch.different.as_slice() else { panic!("{mismatch}") };
            assert_eq!(name(declared), name(instead), "{mismatch}");
        }
    }
}
