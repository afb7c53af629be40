//! The plugins of this process that run, so that its end can wait for theirs.

use std::sync::LazyLock;
use std::time::Duration;

use tokio::sync::watch;

/// The number of plugins that run.
static RUNNING: LazyLock<watch::Sender<usize>> = LazyLock::new(watch::Sender::default);

/// True when this process is about to end.
static ENDING: LazyLock<watch::Sender<bool>> = LazyLock::new(watch::Sender::default);

/// A plugin that runs until this is dropped.
#[derive(Debug)]
pub(super) struct Running(());

impl Running {
    pub(super) fn begin() -> Self {
        RUNNING.send_modify(|it| *it += 1);
        Self(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.send_modify(|it| *it -= 1);
    }
}

/// Waits until this process is about to end.
pub(super) async fn ending() {
    let mut ending = ENDING.subscribe();
    let _never_fails = ending.wait_for(|it| *it).await;
}

/// Shuts all plugins of this process down, and waits until they have ended, at most for that time. It is for the end of
/// the process: none starts after it.
pub async fn end_all(within: Duration) {
    ENDING.send_replace(true);
    let mut running = RUNNING.subscribe();
    let ended = running.wait_for(|it| *it == 0);
    let _late = tokio::time::timeout(within, ended).await; // what is left is killed
}
