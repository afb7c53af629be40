//! Outside files in an answer: the ones that may be shown, and the ones to track.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::QueryContext;
use crate::fallback::workspace::readable_outside;
use crate::fallback::workspace::stamp::Stamp;
use crate::lock::lock;

/// The outside files of one answer.
#[derive(Debug, Default)]
pub(crate) struct OutsideFiles {
    /// The files that came up, each with `true` if it may not be read.
    withheld: Mutex<HashMap<PathBuf, bool>>,
    /// Files in which the answer names places and may show no text.
    unread: Mutex<BTreeSet<PathBuf>>,
    /// Files that could not be tracked, because there are too many.
    untracked: Mutex<BTreeSet<PathBuf>>,
    /// `true` if a file changed before the adapter knew that the server reads it.
    is_overtaken: AtomicBool,
}

impl OutsideFiles {
    /// Returns `true` if the answer may depend on a file's content from before a missed change.
    pub(crate) fn is_overtaken(&self) -> bool {
        self.is_overtaken.load(Ordering::SeqCst)
    }
}

impl QueryContext {
    /// Returns `true` if a file may not be read; the answer may still name its places.
    pub(crate) fn withholds(&self, path: &Path) -> bool {
        if let Some(known) = lock(&self.outside.withheld).get(path) {
            return *known;
        }
        let is_withheld = !self.roots.may_read(path);
        lock(&self.outside.withheld).insert(path.to_owned(), is_withheld);
        is_withheld
    }

    /// Records that the answer names a place in a file; a note reports it if the text may not be shown.
    pub(crate) fn names(&self, path: &Path) {
        if self.withholds(path) {
            lock(&self.outside.unread).insert(path.to_owned());
        }
    }

    /// Returns the note on files that the answer names and may not show.
    pub(crate) fn unread(&self) -> Option<String> {
        self.roots.unreadable_note(&lock(&self.outside.unread))
    }

    /// Returns the note on untracked files, whose changes may be missed.
    pub(crate) fn untracked(&self) -> Option<String> {
        let untracked = lock(&self.outside.untracked);
        let first = untracked.first()?;
        Some(format!(
            "too many files outside of the workspace to watch, such as `{}`: changes there may be missed",
            first.display()
        ))
    }

    /// Tracks these files for changes if they lie outside of the project's folders. If one changed since the
    /// server started, the answer is computed again: the server may have read the old text.
    pub(crate) async fn track<'a>(&self, paths: impl Iterator<Item = &'a PathBuf>) {
        let mut documents = self.process.documents.lock().await;
        let is_fixed = |it: &PathBuf| self.roots.is_of_toolchain(it) || readable_outside::is_private(it);
        for path in paths {
            if documents.knows(path) || documents.is_outside(path) || is_fixed(path) {
                continue;
            }
            let Some(stamp) = Stamp::read(path) else { continue };
            let is_news = stamp.changed >= self.process.born;
            if !documents.track(path.clone(), Some(stamp), is_news) {
                lock(&self.outside.untracked).insert(path.clone());
            } else if is_news {
                self.outside.is_overtaken.store(true, Ordering::SeqCst);
            }
        }
    }
}
