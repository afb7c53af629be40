//! Keeps the first matches by path from a parallel walk, which visits files in any order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The first matches by path, in whole files. It drops files that the limit makes unnecessary.
#[derive(Debug)]
pub(crate) struct TopMatches<T> {
    files: BTreeMap<PathBuf, Vec<T>>,
    kept: usize,
}

impl<T> Default for TopMatches<T> {
    fn default() -> Self {
        Self { files: BTreeMap::new(), kept: 0 }
    }
}

impl<T> TopMatches<T> {
    /// Returns whether matches of a file can be among the first `limit`.
    pub(crate) fn has_room(&self, path: &Path, limit: usize) -> bool {
        self.kept < limit || self.files.keys().next_back().is_none_or(|last| path <= last.as_path())
    }

    /// Adds the matches of a file if they are among the first `limit`, and drops those that no longer are.
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

    /// Returns the files with their matches, in order of path.
    pub(crate) fn into_files(self) -> BTreeMap<PathBuf, Vec<T>> {
        self.files
    }
}
