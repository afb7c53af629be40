//! The documents of a package, by path.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use indexmap::IndexMap;

use crate::Document;

/// The documents of a package or a folder. Documents outside of it cannot be imported.
///
/// Paths are relative to its root, with `/` and without `.` and `..`: `main.md`, `lib/types.md`.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    by_path: IndexMap<String, Document>,
    /// The index of the first document for each folder and [folded](fold) name; computed on demand.
    by_name: OnceLock<HashMap<(String, String), usize>>,
    /// The names of the packages that this one depends on.
    dependencies: HashSet<String>,
}

impl Documents {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document; replaces one with the same path.
    pub fn insert(&mut self, path: impl Into<String>, document: Document) {
        self.by_path.insert(path.into(), document);
        self.by_name = OnceLock::new();
    }

    /// Declares a dependency on a package that is not among the documents. Imports from it are assumed to
    /// resolve.
    pub fn depend_on(&mut self, name: impl Into<String>) {
        self.dependencies.insert(name.into());
    }

    /// Returns `true` if a name, with or without a path behind it, belongs to a declared dependency.
    pub(crate) fn needs(&self, name: &str) -> bool {
        let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
        ends.take(2).any(|end| self.dependencies.contains(&name[..end]))
    }

    /// Returns the document at a path.
    pub fn get(&self, path: &str) -> Option<&Document> {
        self.by_path.get(path)
    }

    /// Returns all documents with their paths, in the order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Document)> {
        self.by_path.iter().map(|(path, document)| (path.as_str(), document))
    }

    /// Returns the index of the document at a path.
    pub(crate) fn index_of(&self, path: &str) -> Option<usize> {
        self.by_path.get_index_of(path)
    }

    /// Returns the index of the first document in the folder of `from` whose id or file name is `name`.
    pub(crate) fn index_beside(&self, from: &str, name: &str) -> Option<usize> {
        let by_name = self.by_name.get_or_init(|| self.names());
        by_name.get(&(folder(from).to_owned(), fold(name))).copied()
    }

    fn names(&self) -> HashMap<(String, String), usize> {
        let mut names = HashMap::new();
        for (index, (path, document)) in self.iter().enumerate() {
            let id = document.front_matter.id.as_ref().map(|id| id.value.as_str());
            for name in id.into_iter().chain([file(path)]) {
                names.entry((folder(path).to_owned(), fold(name))).or_insert(index);
            }
        }
        names
    }

    /// Returns the path and the document at an index.
    pub(crate) fn at(&self, index: usize) -> Option<(&str, &Document)> {
        self.by_path.get_index(index).map(|(path, document)| (path.as_str(), document))
    }

    /// Returns the number of documents.
    pub(crate) fn len(&self) -> usize {
        self.by_path.len()
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn file(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md")
}

/// Folds case and separators: `emailSkill`, `email-skill` and `email_skill` are equal.
pub(crate) fn fold(name: &str) -> String {
    name.chars().filter(|char| !matches!(char, '-' | '_')).map(|char| char.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_needed_by_their_names() {
        let mut documents = Documents::new();
        documents.depend_on("@example/clock");
        documents.depend_on("zones");
        for name in ["@example/clock", "@example/clock/lib/types", "zones", "zones/types"] {
            assert!(documents.needs(name), "{name}");
        }
        for name in ["@example", "@example/clocks", "example/clock", "zone", ""] {
            assert!(!documents.needs(name), "{name}");
        }
    }
}
