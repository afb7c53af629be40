//! The first finds in order of path, of a walk that comes by the files in any order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The first finds by path, each file's in its own order. So many are kept that a limit is reached, and whole files.
#[derive(Debug)]
pub(crate) struct First<T> {
    files: BTreeMap<PathBuf, Vec<T>>,
    kept: usize,
}

impl<T> Default for First<T> {
    fn default() -> Self {
        Self { files: BTreeMap::new(), kept: 0 }
    }
}

impl<T> First<T> {
    /// Whether the finds of a file can be among the first `limit`.
    pub(crate) fn has_room(&self, path: &Path, limit: usize) -> bool {
        self.kept < limit || self.files.keys().next_back().is_none_or(|last| path <= last.as_path())
    }

    /// Keeps the finds of a file if they are among the first `limit`, and lets go of those that no longer are.
    pub(crate) fn add(&mut self, path: &Path, finds: Vec<T>, limit: usize) {
        if finds.is_empty() || !self.has_room(path, limit) {
            return;
        }
        self.kept += finds.len();
        self.files.insert(path.to_owned(), finds);
        while let Some(last) = self.files.last_entry() {
            if self.kept - last.get().len() < limit {
                break;
            }
            self.kept -= last.remove().len();
        }
    }

    /// The files with their finds, in order of path.
    pub(crate) fn into_files(self) -> BTreeMap<PathBuf, Vec<T>> {
        self.files
    }
}
