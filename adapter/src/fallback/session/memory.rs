//! The memory of a session, as data: another process may have given the answers that later questions rest on.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Session;
use super::trees::SessionTrees;
use crate::fallback::edits::Preview;
use crate::fallback::edits::code_action_cache::CachedAction;
use crate::fallback::workspace::session_folders::Readable;

/// A part of what a session remembers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SessionMemory {
    /// The previews of edits, by id.
    previews: Vec<(String, Preview)>,
    /// The code actions that were listed.
    offers: Vec<CachedAction>,
    /// The files and folders that it may read outside of the folders of each of its trees.
    readable: Vec<(Vec<PathBuf>, Readable)>,
}

impl SessionMemory {
    /// Returns what a session remembers since this was called last, and nothing at the first call.
    pub(crate) fn take_news(trees: &SessionTrees) -> Self {
        let readable = trees.all().into_iter().map(|it| (it.roots.folders().to_vec(), it.roots.take_news()));
        Self {
            previews: trees.own.previews.take_news(),
            offers: trees.own.offers.take_news(),
            readable: readable.filter(|(_, it)| *it != Readable::default()).collect(),
        }
    }

    /// Returns all that a session remembers, but previews: only who writes them needs those.
    pub(crate) fn of(trees: &SessionTrees) -> Self {
        let readable = trees.all().into_iter().map(|it| (it.roots.folders().to_vec(), it.roots.readable()));
        let readable = readable.filter(|(_, it)| *it != Readable::default()).collect();
        Self { previews: Vec::new(), offers: trees.own.offers.all(), readable }
    }

    /// Adds it to what a session remembers; blocking.
    pub(crate) fn restore(self, trees: &SessionTrees) {
        self.previews.into_iter().for_each(|(id, it)| trees.own.previews.restore(id, Arc::new(it)));
        self.offers.into_iter().for_each(|it| drop(trees.own.offers.keep(it)));
        for (folders, readable) in self.readable {
            let is_own = folders == trees.own.roots.folders();
            let session: Arc<Session> =
                if is_own { Arc::clone(&trees.own) } else { trees.session_of(folders) };
            session.roots.allow(&readable);
        }
    }

    /// Returns `true` if there is nothing to remember.
    pub(crate) fn is_empty(&self) -> bool {
        self.previews.is_empty() && self.offers.is_empty() && self.readable.is_empty()
    }
}
