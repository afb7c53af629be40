//! The package of a file by its language's rule: a crate, a Go package, an npm package.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::languages::{self, PackageRule};

/// Returns whether two files lie in different packages; `false` for languages without a known rule. Blocking,
/// briefly.
pub(crate) fn are_in_different_packages(one: &Path, other: &Path) -> bool {
    Packages::default().are_different(one, other)
}

/// A cache of the packages of folders, for one answer.
#[derive(Debug, Default)]
pub(crate) struct Packages(HashMap<(&'static str, PathBuf), Option<PathBuf>>);

impl Packages {
    /// Returns whether two files lie in different packages, as [`are_in_different_packages`].
    pub(crate) fn are_different(&mut self, one: &Path, other: &Path) -> bool {
        match (self.folder_of(one), self.folder_of(other)) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        }
    }

    /// Returns the folder of a file's package.
    fn folder_of(&mut self, path: &Path) -> Option<PathBuf> {
        let (language, folder) = (languages::of_file(path)?, path.parent()?);
        match language.packages {
            PackageRule::Unknown => None,
            PackageRule::Folder => Some(folder.to_owned()),
            PackageRule::Manifest(manifests) => self.above(language.id, folder, manifests),
        }
    }

    /// Finds the nearest folder with a manifest, upward from `folder`.
    fn above(&mut self, id: &'static str, folder: &Path, manifests: &[&str]) -> Option<PathBuf> {
        let key = (id, folder.to_owned());
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        let found = match manifests.iter().any(|it| folder.join(it).is_file()) {
            true => Some(folder.to_owned()),
            false => folder.parent().and_then(|it| self.above(id, it, manifests)),
        };
        self.0.insert(key, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_what_its_language_says() {
        let folder = tempfile::tempdir().expect("there is room");
        let root = folder.path();
        for path in ["a/src/x", "b/src"] {
            std::fs::create_dir_all(root.join(path)).expect("it can be made");
        }
        for path in ["Cargo.toml", "a/Cargo.toml", "b/Cargo.toml"] {
            std::fs::write(root.join(path), "").expect("it can be written");
        }
        let apart = |one: &str, other: &str| are_in_different_packages(&root.join(one), &root.join(other));
        assert!(!apart("a/src/lib.rs", "a/src/x/y.rs"));
        assert!(apart("a/src/lib.rs", "b/src/lib.rs"));
        assert!(apart("a/src/lib.rs", "tests/all.rs"));
        assert!(apart("a/x.go", "a/src/y.go"));
        assert!(!apart("a/x.go", "a/y.go"));
        assert!(!apart("a/x.md", "b/y.md"));
    }
}
