//! The standard library: documents of the built-in modules.

use std::sync::LazyLock;

use crate::Document;
use crate::documents::Documents;
use crate::module::{built_in_name, built_in_path};

/// The names of the modules with their texts.
const SOURCES: &[(&str, &str)] = &[
    ("ai", include_str!("standard/ai.md")),
    ("context", include_str!("standard/context.md")),
    ("database", include_str!("standard/database.md")),
    ("errors", include_str!("standard/errors.md")),
    ("http", include_str!("standard/http.md")),
    ("media", include_str!("standard/media.md")),
    ("notification", include_str!("standard/notification.md")),
    ("runtime", include_str!("standard/runtime.md")),
    ("storage", include_str!("standard/storage.md")),
    ("validator", include_str!("standard/validator.md")),
];

/// The documents, in the order of their names.
static MODULES: LazyLock<Vec<(&str, Document)>> =
    LazyLock::new(|| SOURCES.iter().map(|(name, text)| (*name, Document::parse(*text))).collect());

/// Returns the built-in modules by name: `http`, `storage`.
pub fn standard_library() -> impl Iterator<Item = (&'static str, &'static Document)> {
    MODULES.iter().map(|(name, document)| (*name, document))
}

/// Returns the first built-in module with a definition of that name, which starts with one of the keywords.
pub(crate) fn module_with(name: &str, keywords: &[&str]) -> Option<&'static str> {
    let is_it = |document: &Document| {
        document.definitions().any(|it| it.name.text == name && keywords.contains(&it.kind.keyword()))
    };
    standard_library().find(|(_, document)| is_it(document)).map(|(module, _)| module)
}

impl Documents {
    /// Adds the built-in modules that the documents import, so that their definitions are known. Without them every
    /// name of a built-in module is accepted.
    pub fn add_standard_library(&mut self) {
        let imports = |document: &Document| {
            let examples = document.examples.iter().flat_map(|it| it.program.imports());
            let imports = document.imports().chain(examples);
            imports
                .filter_map(|import| built_in_name(&import.module).map(str::to_owned))
                .collect::<Vec<String>>()
        };
        let imported: Vec<String> = self.iter().flat_map(|(_, document)| imports(document)).collect();
        for (name, document) in standard_library() {
            if imported.iter().any(|it| it == name) && self.get(&built_in_path(name)).is_none() {
                self.insert(built_in_path(name), document.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Severity, Strictness, validate_all};

    #[test]
    fn the_standard_library_is_beyond_reproach() {
        for (name, document) in standard_library() {
            let mut documents = Documents::new();
            documents.insert(name, document.clone());
            let (_, found) = validate_all(&documents, Strictness::Strict).pop().expect("it was added");
            let serious: Vec<_> = found.iter().filter(|it| it.severity > Severity::Info).collect();
            assert!(serious.is_empty(), "{name}: {serious:?}");
            crate::Interface::load(&documents).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn imported_modules_bring_their_definitions() {
        let text = "---\nid: a\ntitle: A\nsummary: A.\n---\n<define>\nfrom http import httpGet, httpFetch\n</define>\n";
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(text));
        assert!(
            crate::validate(&documents, "a.md", Strictness::Normal)
                .unwrap()
                .iter()
                .all(|it| it.severity < Severity::Error)
        );
        documents.add_standard_library();
        let found = crate::validate(&documents, "a.md", Strictness::Normal).unwrap();
        let codes: Vec<String> =
            found.iter().filter(|it| it.severity == Severity::Error).map(|it| it.code.to_string()).collect();
        assert_eq!(codes, ["AL3502"]);
    }
}
