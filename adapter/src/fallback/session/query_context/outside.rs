//! Files outside of the project that come up while an answer is made: which may be shown, and which have to be looked at
//! from now on.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::QueryContext;
use crate::fallback::workspace::{file_scan, readable_outside};
use crate::lock::lock;

/// What came up.
#[derive(Debug, Default)]
pub(crate) struct OutsideFiles {
    /// Whether each file that came up may not be read.
    withheld: Mutex<HashMap<PathBuf, bool>>,
    /// Files of which the answer names places and may not show any text.
    unread: Mutex<BTreeSet<PathBuf>>,
    /// Files beyond those that are looked at before each question.
    untracked: Mutex<BTreeSet<PathBuf>>,
    /// Whether a file came up that changed before it was known that the server reads it.
    is_overtaken: AtomicBool,
}

impl OutsideFiles {
    /// Whether the answer may be made of a file as it was before a change that the server was not told of.
    pub(crate) fn is_overtaken(&self) -> bool {
        self.is_overtaken.load(Ordering::SeqCst)
    }
}

impl QueryContext {
    /// Whether a file may not be read: the answer may name its places.
    pub(crate) fn withholds(&self, path: &Path) -> bool {
        if let Some(known) = lock(&self.outside.withheld).get(path) {
            return *known;
        }
        let is_withheld = !self.roots.may_read(path);
        lock(&self.outside.withheld).insert(path.to_owned(), is_withheld);
        is_withheld
    }

    /// Notes that the answer names a place in a file, which is said where its text may not be shown.
    pub(crate) fn names(&self, path: &Path) {
        if self.withholds(path) {
            lock(&self.outside.unread).insert(path.to_owned());
        }
    }

    /// Returns what the answer has to say of files that it names and may not show.
    pub(crate) fn unread(&self) -> Option<String> {
        self.roots.unread(&lock(&self.outside.unread))
    }

    /// Returns what the answer has to say of files outside that may have changed without anybody knowing.
    pub(crate) fn untracked(&self) -> Option<String> {
        let untracked = lock(&self.outside.untracked);
        let first = untracked.first()?;
        Some(format!(
            "`{}` and others lie outside and are too many to be looked at: changes of them may be missed",
            first.display()
        ))
    }

    /// Looks at these files before each further question, where nobody does yet: they lie outside of the folders of the
    /// project. One that changed since the server began may have been read by it before, so the answer is made again.
    pub(crate) async fn track<'a>(&self, paths: impl Iterator<Item = &'a PathBuf>) {
        let mut documents = self.life.documents.lock().await;
        let is_fixed = |it: &PathBuf| self.roots.is_of_toolchain(it) || readable_outside::is_private(it);
        for path in paths {
            if documents.knows(path) || documents.is_outside(path) || is_fixed(path) {
                continue;
            }
            let Some(stamp) = file_scan::stamp(path) else { continue };
            let is_news = stamp.changed >= self.life.born;
            if !documents.track(path.clone(), Some(stamp), is_news) {
                lock(&self.outside.untracked).insert(path.clone());
            } else if is_news {
                self.outside.is_overtaken.store(true, Ordering::SeqCst);
            }
        }
    }
}
