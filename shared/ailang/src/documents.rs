//! The documents of a package, by path.

mod installed;
mod paths;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
pub use installed::InstalledPackage;
pub use paths::built_in_at;
pub(crate) use paths::{built_in_path, candidates, join};

use crate::Document;

/// The documents of a package or a folder. Documents outside of it cannot be imported.
///
/// Paths are relative to its root, with `/` and without `.` and `..`: `main.md`, `lib/types.md`.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    by_path: IndexMap<String, Arc<Document>>,
    /// The index of the first document for each folder and [folded](fold) name; computed on demand.
    by_name: OnceLock<HashMap<(String, String), usize>>,
    /// The names of the packages that this one depends on.
    dependencies: HashSet<String>,
    /// The packages whose documents are among the documents.
    installed: Vec<InstalledPackage>,
    /// The paths that lead out of their package through a symbolic link.
    outside: HashSet<String>,
}

/// The meaning of a name to the package that a document belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PackageName {
    /// A dependency that is installed, with the paths that the name may mean.
    Installed(Vec<String>),
    /// A dependency that is not installed.
    Absent,
    /// No dependency.
    Unknown,
}

impl Documents {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document; replaces one with the same path.
    pub fn insert(&mut self, path: impl Into<String>, document: impl Into<Arc<Document>>) {
        self.by_path.insert(path.into(), document.into());
        self.by_name = OnceLock::new();
    }

    /// Adds the documents of another set, where they have paths of their own.
    pub fn add_all(&mut self, other: &Self) {
        for (path, document) in &other.by_path {
            self.by_path.entry(path.clone()).or_insert_with(|| Arc::clone(document));
        }
        self.by_name = OnceLock::new();
    }

    /// Declares a dependency of the package. Unless it is [installed](Self::install), imports from it are
    /// assumed to resolve.
    pub fn depend_on(&mut self, name: impl Into<String>) {
        self.dependencies.insert(name.into());
    }

    /// Declares an installed package. Imports of packages that depend on it resolve to its documents, which
    /// are inserted with paths below its root.
    pub fn install(&mut self, package: InstalledPackage) {
        self.installed.retain(|it| it.name != package.name);
        self.installed.push(package);
    }

    /// Declares that a path leads out of its package through a symbolic link. Imports of it are errors.
    pub fn lead_outside(&mut self, path: impl Into<String>) {
        self.outside.insert(path.into());
    }

    /// Returns `true` for a path that leads out of its package through a symbolic link.
    pub(crate) fn leads_outside(&self, path: &str) -> bool {
        self.outside.contains(path)
    }

    /// Returns the installed package that a document belongs to; `None` for documents of the package itself.
    pub(crate) fn package_of(&self, path: &str) -> Option<&InstalledPackage> {
        self.installed.iter().filter(|it| it.contains(path)).max_by_key(|it| it.root.len())
    }

    /// Resolves a name, with or without a path behind it, to a dependency of the package that the document at
    /// `from` belongs to.
    pub(crate) fn dependency(&self, from: &str, name: &str) -> PackageName {
        let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
        let mut names = ends.take(2).map(|end| name.split_at(end));
        let Some((package, rest)) = names.find(|(package, _)| self.depends(from, package)) else {
            return PackageName::Unknown;
        };
        match self.installed.iter().find(|it| it.name == package) {
            None => PackageName::Absent,
            Some(it) if rest.len() <= 1 => PackageName::Installed(vec![it.main_path()]),
            Some(it) => match join(&it.root, &format!("{}/", it.root), rest) {
                Some(path) => PackageName::Installed(candidates(&path)),
                None => PackageName::Installed(Vec::new()),
            },
        }
    }

    fn depends(&self, from: &str, name: &str) -> bool {
        match self.package_of(from) {
            Some(package) => package.dependencies.iter().any(|it| it == name),
            None => self.dependencies.contains(name),
        }
    }

    /// Returns the document at a path.
    pub fn get(&self, path: &str) -> Option<&Document> {
        self.by_path.get(path).map(|document| &**document)
    }

    /// Returns all documents with their paths, in the order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Document)> {
        self.by_path.iter().map(|(path, document)| (path.as_str(), &**document))
    }

    /// Returns the index of the document at a path, in the order of insertion.
    pub fn index_of(&self, path: &str) -> Option<usize> {
        self.by_path.get_index_of(path)
    }

    /// Returns the index of the first document in the folder of `from` whose id or file name is `name`.
    pub(crate) fn index_beside(&self, from: &str, name: &str) -> Option<usize> {
        let by_name = self.by_name.get_or_init(|| self.names());
        by_name.get(&(folder(from).to_owned(), fold(name))).copied()
    }

    /// Returns the path of the first document in the folder of `from` whose id or file name is `name`, ignoring case
    /// and separators.
    pub fn beside(&self, from: &str, name: &str) -> Option<&str> {
        self.index_beside(from, name).and_then(|index| self.at(index)).map(|(path, _)| path)
    }

    /// Returns `true` for a document of an installed package, and for a built-in module.
    pub fn is_installed(&self, path: &str) -> bool {
        self.package_of(path).is_some() || built_in_at(path).is_some()
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

    /// Returns the path and the document at an index in the order of insertion.
    pub fn at(&self, index: usize) -> Option<(&str, &Document)> {
        self.by_path.get_index(index).map(|(path, document)| (path.as_str(), &**document))
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
            assert_eq!(documents.dependency("main.md", name), PackageName::Absent, "{name}");
        }
        for name in ["@example", "@example/clocks", "example/clock", "zone", ""] {
            assert_eq!(documents.dependency("main.md", name), PackageName::Unknown, "{name}");
        }
    }

    #[test]
    fn installed_packages_see_their_own_dependencies() {
        let mut documents = Documents::new();
        documents.depend_on("@example/clock");
        let package = |name: &str, dependencies: &[&str]| InstalledPackage {
            name: name.to_owned(),
            root: format!("ailang_modules/{name}"),
            main: "main.md".to_owned(),
            dependencies: dependencies.iter().map(|&it| it.to_owned()).collect(),
        };
        documents.install(package("@example/clock", &["zones"]));
        documents.install(package("zones", &[]));
        let paths = |from: &str, name: &str| match documents.dependency(from, name) {
            PackageName::Installed(paths) => paths.join(" "),
            other => format!("{other:?}"),
        };
        assert_eq!(paths("main.md", "@example/clock"), "ailang_modules/@example/clock/main.md");
        assert_eq!(
            paths("lib/a.md", "@example/clock/lib/types"),
            "ailang_modules/@example/clock/lib/types ailang_modules/@example/clock/lib/types.md \
             ailang_modules/@example/clock/lib/types/main.md"
        );
        assert_eq!(paths("main.md", "@example/clock/../../x"), "");
        assert_eq!(paths("main.md", "zones"), "Unknown", "only declared dependencies count");
        assert_eq!(paths("ailang_modules/@example/clock/lib/x.md", "zones"), "ailang_modules/zones/main.md");
        assert_eq!(paths("ailang_modules/zones/main.md", "@example/clock"), "Unknown");
    }
}
