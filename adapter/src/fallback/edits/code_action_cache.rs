//! Cache of the code actions that a session has seen, by their ids.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use ide_protocol::CodeActionsQuestion;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::file_change::ContentHash;
use crate::fallback::source::languages;
use crate::fallback::source::languages::Language;
use unpoisoned::lock;

/// The maximum number of actions in a session.
const KEPT: usize = 2_000;

/// A code action: its request, and its place among the answers. The request is repeated when the action is
/// taken, since servers forget actions on any change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CachedAction {
    /// The language whose server returned it.
    #[serde(with = "languages::by_id")]
    pub(crate) language: &'static Language,
    pub(crate) request: CodeActionsQuestion,
    /// The content of the file.
    pub(crate) stamp: ContentHash,
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    /// The index among actions with the same title and kind.
    pub(crate) index: usize,
}

impl CachedAction {
    /// Returns its id; the same action about the same text has the same one.
    fn id(&self) -> String {
        let CodeActionsQuestion { path, start, end, kind } = &self.request;
        let asked = format!("{path}\0{start:?}\0{end:?}\0{kind:?}\0{:?}", self.stamp);
        let answer = format!("{}\0{:?}\0{}\0{}", self.title, self.kind, self.index, self.language.id);
        let hash = Sha256::digest(format!("{asked}\0{answer}"));
        format!("action-{}", hex::encode(&hash[..5]))
    }
}

/// The latest code actions of one session.
#[derive(Debug, Default)]
pub(crate) struct CodeActionCache(Mutex<KeptActions>);

#[derive(Debug, Default)]
struct KeptActions {
    latest: VecDeque<(String, Arc<CachedAction>)>,
    /// The actions since [`CodeActionCache::take_news`] was called last, from its first call on.
    news: Option<Vec<CachedAction>>,
}

impl CodeActionCache {
    /// Caches an action, and returns its id.
    pub(crate) fn keep(&self, offer: CachedAction) -> String {
        let id = offer.id();
        let mut kept = lock(&self.0);
        if let Some(news) = &mut kept.news {
            news.push(offer.clone());
        }
        let kept = &mut kept.latest;
        kept.retain(|(it, _)| *it != id);
        kept.push_back((id.clone(), Arc::new(offer)));
        while kept.len() > KEPT {
            kept.pop_front();
        }
        id
    }

    /// Returns the actions since this was called last, and none at the first call.
    pub(crate) fn take_news(&self) -> Vec<CachedAction> {
        lock(&self.0).news.replace(Vec::new()).unwrap_or_default()
    }

    /// Returns all cached actions.
    pub(crate) fn all(&self) -> Vec<CachedAction> {
        lock(&self.0).latest.iter().map(|(_, it)| CachedAction::clone(it)).collect()
    }

    /// Returns the action with that id, while it is cached.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<CachedAction>> {
        let kept = lock(&self.0);
        kept.latest.iter().find(|(it, _)| it == id).map(|(_, it)| Arc::clone(it))
    }
}
