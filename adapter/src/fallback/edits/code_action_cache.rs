//! What was offered to be done, by the names under which it was told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use ide_protocol::CodeActionsRequest;
use sha2::{Digest, Sha256};

use super::ContentHash;
use crate::fallback::source::languages::Language;
use crate::lock::lock;

/// How many a session remembers.
const KEPT: usize = 2_000;

/// One code action: what was asked when it was offered, and which of the answers it was. It is asked for again when it is
/// taken, since servers forget what they offered when anything changes.
#[derive(Clone, Debug)]
pub(crate) struct CachedAction {
    /// Whose server offered it.
    pub(crate) language: &'static Language,
    pub(crate) request: CodeActionsRequest,
    /// What the file held.
    pub(crate) stamp: ContentHash,
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    /// Which of those that have the same title and kind.
    pub(crate) index: usize,
}

impl CachedAction {
    /// The same offer about the same text has the same name.
    fn id(&self) -> String {
        let CodeActionsRequest { path, start, end, kind, .. } = &self.request;
        let asked = format!("{path}\0{start:?}\0{end:?}\0{kind:?}\0{:?}", self.stamp);
        let answer = format!("{}\0{:?}\0{}\0{}", self.title, self.kind, self.index, self.language.id);
        let hash = Sha256::digest(format!("{asked}\0{answer}"));
        format!("action-{}", hash[..5].iter().map(|it| format!("{it:02x}")).collect::<String>())
    }
}

/// The offers of one session: the latest of them.
#[derive(Debug, Default)]
pub(crate) struct CodeActionCache(Mutex<VecDeque<(String, Arc<CachedAction>)>>);

impl CodeActionCache {
    /// Remembers one, and gives its name.
    pub(crate) fn keep(&self, offer: CachedAction) -> String {
        let id = offer.id();
        let mut kept = lock(&self.0);
        kept.retain(|(it, _)| *it != id);
        kept.push_back((id.clone(), Arc::new(offer)));
        while kept.len() > KEPT {
            kept.pop_front();
        }
        id
    }

    /// The one of that name, while it is remembered.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<CachedAction>> {
        let kept = lock(&self.0);
        kept.iter().find(|(it, _)| it == id).map(|(_, it)| Arc::clone(it))
    }
}
