//! Documents that belong together, by path.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use indexmap::IndexMap;

use crate::Document;

/// Documents that belong together: a package, or a folder. Nothing outside of it can be imported.
///
/// Paths are relative to the root of it, with `/` and without `.` and `..`: `main.md`, `lib/types.md`.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    by_path: IndexMap<String, Document>,
    /// The first of each folder that has a name, by folder and [folded](fold) name; made when it is asked for.
    by_name: OnceLock<HashMap<(String, String), usize>>,
    /// The names of the packages that this one needs.
    dependencies: HashSet<String>,
}

impl Documents {
    /// No documents yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document; one with the same path is replaced.
    pub fn insert(&mut self, path: impl Into<String>, document: Document) {
        self.by_path.insert(path.into(), document);
        self.by_name = OnceLock::new();
    }

    /// Declares that these documents need the package of that name, which is not among them: what is imported from it is
    /// taken to be there.
    pub fn depend_on(&mut self, name: impl Into<String>) {
        self.dependencies.insert(name.into());
    }

    /// Whether a name, with or without a path behind it, is of a package that these documents need.
    pub(crate) fn needs(&self, name: &str) -> bool {
        let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
        ends.take(2).any(|end| self.dependencies.contains(&name[..end]))
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

    /// The index of the first document beside the one at `from` whose id or file has that name.
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

    /// The path and the document at an index.
    pub(crate) fn at(&self, index: usize) -> Option<(&str, &Document)> {
        self.by_path.get_index(index).map(|(path, document)| (path.as_str(), document))
    }

    /// How many there are.
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

/// `emailSkill`, `email-skill` and `email_skill` are the same.
fn fold(name: &str) -> String {
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
