//! The interface document: the declarations of functions, types, conversions and failures.

use std::sync::LazyLock;

use ailang::Interface;

/// The interface document that declares the library, as Markdown.
pub const DOCUMENT: &str = include_str!("../interface/ide.md");

/// The parsed document, once per process.
pub(crate) static INTERFACE: LazyLock<Interface> =
    LazyLock::new(|| Interface::built_in([("ide.md", DOCUMENT)]));

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ailang::{Document, Documents, Mismatch, Severity, Strictness, validate};
    use dialect::Effect;

    use super::*;
    use crate::cached_host::CachedHost;
    use crate::cached_host::tests::Nobody;

    /// Links the code with the document after one change to it, without its examples.
    fn mismatch(place: &str, instead: &str) -> Mismatch {
        assert_eq!(DOCUMENT.matches(place).count(), 1, "{place}");
        let example = |tool: &str| format!("tool=\"{}\"", name(tool));
        let text = DOCUMENT.replacen(place, instead, 1).replace(&example(place), &example(instead));
        let interface = Interface::built_in([("ide.md", text.as_str())]);
        let host = Arc::new(CachedHost::new(Arc::new(Nobody)));
        interface.library(crate::NAME, crate::all_code(&host)).expect_err("they differ")
    }

    /// Returns the name of a tool: `count` of `tool count(list: any)`.
    fn name(tool: &str) -> &str {
        tool.trim_start_matches("tool ").split('(').next().expect("a part comes first")
    }

    #[test]
    fn the_document_is_fit_to_be_published() {
        let mut documents = Documents::new();
        documents.insert("ide.md", Document::parse(DOCUMENT));
        let diagnostics = validate(&documents, "ide.md", Strictness::Strict).expect("it was added");
        let wrong: Vec<_> = diagnostics.iter().filter(|it| it.severity != Severity::Info).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(INTERFACE.warnings().collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn every_function_has_examples_and_only_apply_writes() {
        for row in INTERFACE.functions() {
            assert!(row.examples.len() > 1, "{}", row.signature);
            let writes = row.signature.starts_with("applyEdits(");
            assert_eq!(
                (row.effect == Effect::Writes, row.requires.is_empty()),
                (writes, !writes),
                "{}",
                row.signature
            );
        }
    }

    #[test]
    fn a_function_without_its_document_is_noticed() {
        let mismatch = mismatch("tool brief(", "tool short(");
        assert_eq!(
            (mismatch.undocumented, mismatch.unimplemented),
            (vec!["brief".into()], vec!["short".into()])
        );
    }

    #[test]
    fn a_conversion_without_its_document_is_noticed() {
        let mismatch =
            mismatch("tool rangeToLocation(range: FileRange)", "tool toLocation(range: FileRange)");
        assert_eq!(mismatch.undocumented, ["rangeToLocation"]);
        assert_eq!(mismatch.unimplemented, ["toLocation"]);
    }

    #[test]
    fn a_function_that_takes_something_else_is_noticed() {
        let mismatch = mismatch("  at?: string\n", "  place?: string\n");
        let [(declared, takes)] = mismatch.different.as_slice() else { panic!("{mismatch}") };
        assert_eq!(
            (declared.as_str(), takes.as_str()),
            ("getSelection(place?: string) -> Selection", "(at?)")
        );
    }
}
