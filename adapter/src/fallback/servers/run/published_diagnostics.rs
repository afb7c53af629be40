//! Diagnostics that a server publishes without a request.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{timeout, timeout_at};

use super::convert::diagnostics::Published;

/// The time a server may take to check a new text: large C++ files take long, and many at once longer.
const LOOK: Duration = Duration::from_secs(60);

/// The time to wait for the first diagnostics.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time without new diagnostics after which the last ones are complete.
const SETTLED: Duration = Duration::from_millis(300);

/// The diagnostics that a server process has published; clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublishedDiagnostics(Arc<watch::Sender<Reported>>);

#[derive(Debug, Default)]
struct Reported {
    documents: HashMap<PathBuf, Published>,
    /// `true` if it sends the version of a document.
    tells_versions: bool,
}

impl PublishedDiagnostics {
    /// Stores published diagnostics. Returns `true` if they came without a new text of the document.
    pub(crate) fn hear(&self, path: PathBuf, published: Published) -> bool {
        let mut is_unasked = false;
        self.0.send_modify(|said| {
            is_unasked = said.documents.contains_key(&path);
            said.tells_versions |= published.version.is_some();
            // For closed documents, servers publish an empty list without a version. It is no answer for an open one.
            if published.version.is_some() || !said.tells_versions {
                said.documents.insert(path, published);
            }
        });
        is_unasked
    }

    /// Forgets a document's diagnostics, before another text is sent.
    pub(crate) fn forget(&self, path: &Path) {
        self.0.send_modify(|it| drop(it.documents.remove(path)));
    }

    /// Waits until the server has published diagnostics of this version of a document, up to a timeout.
    pub(crate) async fn looked_at(&self, path: &Path, version: i32) {
        let mut said = self.0.subscribe();
        let has_it = said.wait_for(|it| it.documents.get(path).is_some_and(|it| it.version >= Some(version)));
        let _ = timeout(LOOK, has_it).await;
    }

    /// Returns the diagnostics of this version of a document; `None` on a timeout. If they come in parts or
    /// without a version, waits until no more follow for a moment.
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
