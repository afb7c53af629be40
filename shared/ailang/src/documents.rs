//! Documents that belong together, by path.

use indexmap::IndexMap;

use crate::Document;

/// Documents that belong together: a package, or a folder. Nothing outside of it can be imported.
///
/// Paths are relative to the root of it, with `/` and without `.` and `..`: `main.md`, `lib/types.md`.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    by_path: IndexMap<String, Document>,
}

impl Documents {
    /// No documents yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document; one with the same path is replaced.
    pub fn insert(&mut self, path: impl Into<String>, document: Document) {
        self.by_path.insert(path.into(), document);
    }

    /// The document at a path.
    pub fn get(&self, path: &str) -> Option<&Document> {
        self.by_path.get(path)
    }

    /// All of them with their paths, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Document)> {
        self.by_path.iter().map(|(path, document)| (path.as_str(), document))
    }

    /// The index of the document at a path.
    pub(crate) fn index_of(&self, path: &str) -> Option<usize> {
        self.by_path.get_index_of(path)
    }

    /// The path and the document at an index.
    pub(crate) fn at(&self, index: usize) -> Option<(&str, &Document)> {
        self.by_path.get_index(index).map(|(path, document)| (path.as_str(), document))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.by_path.len()
    }
}
