//! Packages that a package depends on, and whose documents are at hand.

/// An installed package. The paths of its documents start with its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstalledPackage {
    /// The name of the package: `@example/clock`.
    pub name: String,
    /// The folder of its documents, relative to the importing package: `ailang_modules/@example/clock`.
    pub root: String,
    /// The path of the document with which it starts, relative to `root`.
    pub main: String,
    /// The names of the packages that it depends on.
    pub dependencies: Vec<String>,
}

impl InstalledPackage {
    /// Returns `true` for a path below the root.
    pub(super) fn contains(&self, path: &str) -> bool {
        path.strip_prefix(self.root.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns the path of the main document.
    pub(super) fn main_path(&self) -> String {
        format!("{}/{}", self.root, self.main)
    }
}
