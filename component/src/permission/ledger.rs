//! What stands on disk: lasting permissions, and the record. Files are locked, so a thread waits for them.

use std::path::{Path, PathBuf};

use super::denial::Denial;
use super::grants::Grant;
use super::store::Store;
use super::vouched::Vouched;
use crate::audit::{Event, Log, Written};
use crate::state::State;

/// Both files of one folder.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    store: Store,
    log: Log,
}

impl Ledger {
    pub(super) fn new(state: &State) -> Self {
        Self { store: Store::new(state.clone()), log: Log::new(state.clone()) }
    }

    /// The lasting permissions of a workspace.
    pub(super) async fn grants(&self, workspace: Option<&Path>) -> Result<Vouched, Denial> {
        let Some(workspace) = workspace.map(Path::to_owned) else { return Ok(Vouched::default()) };
        let Self { store, log } = self.clone();
        on_a_thread(move || Vouched::of_workspace(&store, &log, &workspace)).await
    }

    pub(super) async fn remember(&self, workspace: PathBuf, grants: Vec<Grant>) -> Result<(), Denial> {
        let store = self.store.clone();
        on_a_thread(move || store.add(&workspace, grants)).await
    }

    /// What cannot be recorded does not happen.
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
