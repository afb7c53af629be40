//! All pages: their file names, and the links between them.

use std::collections::HashSet;

use ailang::names::{Occurrence, SymbolId};
use ailang::syntax::Definition;
use ailang::{Analysis, Document, Documents, built_in_at, format};
use indexmap::IndexMap;

use super::anchor;

/// A file of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentationPage {
    /// The file name.
    pub path: String,
    /// The content.
    pub text: String,
}

/// Returns the documents without the built-in modules, in the canonical layout. Those with mistakes stay as they are.
pub(super) fn canonical(documents: &Documents) -> Documents {
    let mut canonical = Documents::new();
    for (path, document) in documents.iter().filter(|(path, _)| built_in_at(path).is_none()) {
        let document = format(&document.source).map_or_else(|_| document.clone(), Document::parse);
        canonical.insert(path, document);
    }
    canonical
}

/// The documents as pages.
pub(super) struct Site<'a> {
    analysis: Analysis<'a>,
    /// The files by the paths of the documents.
    files: IndexMap<&'a str, String>,
}

impl<'a> Site<'a> {
    /// Names the pages; `kind` is the end of their file names.
    pub(super) fn new(documents: &'a Documents, kind: &str) -> Self {
        let mut taken = HashSet::from(["index".to_owned()]);
        let file = |path| format!("{}.{kind}", file(path, &mut taken));
        let paths: Vec<&str> = documents.iter().map(|(path, _)| path).collect();
        let files = paths.iter().copied().zip(paths.iter().copied().map(file)).collect();
        Self { analysis: Analysis::new(documents), files }
    }

    /// Returns the file of a document.
    pub(super) fn file(&self, path: &str) -> &str {
        self.files.get(path).map_or("", String::as_str)
    }

    /// Returns the names in a document.
    pub(super) fn occurrences(&self, path: &str) -> Vec<Occurrence> {
        self.analysis.occurrences(path)
    }

    /// Returns the address of what a name of the document at `from` means, if a page shows it.
    pub(super) fn url(&self, from: &str, symbol: SymbolId) -> Option<String> {
        let path = self.analysis.path_of(symbol)?;
        let document = self.analysis.document_of(symbol)?;
        let definition = document.definitions().find(|it| it.name.span == symbol.span)?;
        Some(self.url_of(from, path, definition))
    }

    /// Returns the address of a definition of the document at `path`.
    pub(super) fn url_of(&self, from: &str, path: &str, definition: &Definition) -> String {
        let file = if from == path { "" } else { self.file(path) };
        format!("{file}#{}", anchor::of_definition(definition))
    }
}

/// Returns a free name for a document: its path, with dashes between the words.
fn file(path: &str, taken: &mut HashSet<String>) -> String {
    let name = path.trim_end_matches(".md");
    let each = name.chars();
    let plain: String = each
        .map(|it| if it.is_ascii_alphanumeric() || it == '_' { it.to_ascii_lowercase() } else { '-' })
        .collect();
    let plain = if plain.is_empty() { "document".to_owned() } else { plain };
    let numbered = (2..).map(|number| format!("{plain}-{number}"));
    let mut all = std::iter::once(plain.clone()).chain(numbered);
    all.find(|it| taken.insert(it.clone())).expect("there are more numbers than files")
}
