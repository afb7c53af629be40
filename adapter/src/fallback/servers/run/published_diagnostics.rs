//! What a server says by itself of documents: what is wrong with them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{timeout, timeout_at};

use super::convert::Published;

/// How long a new text may take to be looked at before what is said of it counts: large files of C++ take long, and many
/// at once longer.
const LOOK: Duration = Duration::from_secs(60);

/// How long it may take until something is said of it.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long a server says nothing more before what it said last is taken for all of it.
const SETTLED: Duration = Duration::from_millis(300);

/// What one life of a server has said; shared by all that it is cloned to.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublishedDiagnostics(Arc<watch::Sender<Reported>>);

#[derive(Debug, Default)]
struct Reported {
    documents: HashMap<PathBuf, Published>,
    /// Whether it tells which version it is about.
    tells_versions: bool,
}

impl PublishedDiagnostics {
    /// The server says something. Whether it did so without being shown the document just now.
    pub(crate) fn hear(&self, path: PathBuf, published: Published) -> bool {
        let mut is_unasked = false;
        self.0.send_modify(|said| {
            is_unasked = said.documents.contains_key(&path);
            said.tells_versions |= published.version.is_some();
            // What is closed is said to have none, of no version; that is no answer about what is open.
            if published.version.is_some() || !said.tells_versions {
                said.documents.insert(path, published);
            }
        });
        is_unasked
    }

    /// The server is about to be shown another text.
    pub(crate) fn forget(&self, path: &Path) {
        self.0.send_modify(|it| drop(it.documents.remove(path)));
    }

    /// Waits until the server has said that it looked at this version of a document, for as long as that may take.
    pub(crate) async fn looked_at(&self, path: &Path, version: i32) {
        let mut said = self.0.subscribe();
        let has_it = said.wait_for(|it| it.documents.get(path).is_some_and(|it| it.version >= Some(version)));
        let _ = timeout(LOOK, has_it).await;
    }

    /// What the server says of this version of a document, once it has said it; `None` when it does not in time. What
    /// may come in parts, or be of any version, is what it said last when it has said nothing more for a moment.
    pub(crate) async fn published(
        &self,
        path: &Path,
        version: i32,
        in_parts: bool,
        deadline: Instant,
    ) -> Option<Vec<Value>> {
        let deadline = deadline.min(Instant::now() + TIMEOUT);
        let mut said = self.0.subscribe();
        loop {
            let last = said.borrow_and_update().documents.get(path).cloned();
            match last {
                Some(it) if it.version >= Some(version) && !in_parts => return Some(it.items),
                Some(it) if it.version >= Some(version) || it.version.is_none() => {
                    if timeout(SETTLED, said.changed()).await.is_err() {
                        return Some(it.items);
                    }
                }
                _ => {
                    timeout_at(deadline.into(), said.changed()).await.ok()?.ok()?;
                }
            }
            if Instant::now() >= deadline {
                return None;
            }
        }
    }
}
