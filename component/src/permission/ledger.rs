//! Asynchronous access to lasting permissions and the audit log. Their files are locked, so a thread waits for
//! them.

use std::path::{Path, PathBuf};

use super::confirmed_grants::ConfirmedGrants;
use super::denial::Denial;
use super::grants::Grant;
use super::store::Store;
use crate::audit::{Event, Log, Written};
use crate::state::State;

/// Both files of a state folder.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    store: Store,
    log: Log,
}

impl Ledger {
    pub(super) fn new(state: &State) -> Self {
        Self { store: Store::new(state.clone()), log: Log::new(state.clone()) }
    }

    /// Returns the lasting permissions of a workspace.
    pub(super) async fn grants(&self, workspace: Option<&Path>) -> Result<ConfirmedGrants, Denial> {
        let Some(workspace) = workspace.map(Path::to_owned) else { return Ok(ConfirmedGrants::default()) };
        let Self { store, log } = self.clone();
        on_a_thread(move || ConfirmedGrants::of_workspace(&store, &log, &workspace)).await
    }

    pub(super) async fn remember(&self, workspace: PathBuf, grants: Vec<Grant>) -> Result<(), Denial> {
        let store = self.store.clone();
        on_a_thread(move || store.add(&workspace, grants)).await
    }

    /// Records events. An error here denies what was to be recorded.
    pub(super) async fn record(&self, events: Vec<Event>) -> Result<Vec<Written>, Denial> {
        let log = self.log.clone();
        on_a_thread(move || log.append(events)).await
    }
}

async fn on_a_thread<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    run: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Denial> {
    let broken = |why: String| Denial::Broken { why };
    match tokio::task::spawn_blocking(run).await {
        Ok(result) => result.map_err(|error| broken(error.to_string())),
        Err(stopped) => Err(broken(stopped.to_string())),
    }
}
