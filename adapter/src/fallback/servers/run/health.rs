//! Whether a server that runs is fit to go on: that something is heard of it, and how much memory it takes.

use super::request::Requests;
use crate::fallback::servers::find::config::Health;
use crate::{blocking, os};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lsp_types::request::Request;
use rustix::process::Pid;
use tokio::sync::{Notify, OwnedRwLockReadGuard, RwLock};
use tokio::time::{sleep, timeout};

/// How long a server that is to end may go on answering what it was asked before.
const LAST_ANSWERS: Duration = Duration::from_secs(60);

/// What is known of one life beside its answers.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    /// How many messages it has sent.
    heard: Arc<AtomicU64>,
    /// How long a question waits before it suspects the server.
    pub(crate) suspicion: Duration,
    suspected: Notify,
    users: Arc<RwLock<()>>,
}

/// Held while one answer is made.
pub(crate) type InUse = OwnedRwLockReadGuard<()>;

impl Liveness {
    /// Of a life whose messages are counted there.
    pub(crate) fn new(heard: Arc<AtomicU64>, health: &Health) -> Self {
        Self { heard, suspicion: health.suspicion, ..Self::default() }
    }

    /// A question waits for long.
    pub(crate) fn suspect(&self) {
        self.suspected.notify_one();
    }

    /// An answer begins to be made; `None` when somebody waits until none is.
    pub(crate) fn in_use(&self) -> Option<InUse> {
        Arc::clone(&self.users).try_read_owned().ok()
    }

    /// Waits a while until no answer is being made.
    pub(crate) async fn unused(&self) {
        let _ = timeout(LAST_ANSWERS, self.users.write()).await;
    }

    fn heard(&self) -> u64 {
        self.heard.load(Ordering::Relaxed)
    }
}

/// Returns when a server that was suspected says nothing at all, with a reason for people.
pub(crate) async fn silent(pulse: &Liveness, requests: &Requests, health: &Health) -> String {
    loop {
        pulse.suspected.notified().await;
        let before = pulse.heard();
        // Computing does not keep a server from refusing what it has never heard of, unless it has one thread alone.
        let answer = timeout(health.silence, requests.ask::<ProbeRequest>(())).await;
        if answer.is_err() && pulse.heard() == before {
            return format!("it hangs: nothing was heard of it for {} s", health.silence.as_secs());
        }
    }
}

/// Returns when a server takes more memory than it may, with a reason for people.
pub(crate) fn memory_exceeded(root: Option<Pid>, health: &Health) -> impl Future<Output = String> + use<> {
    let Health { memory, look, .. } = *health;
    async move {
        let (Some(root), Some(limit)) = (root, memory) else { return std::future::pending().await };
        loop {
            sleep(look).await;
            let taken = blocking::spawn(move || os::memory_of(root)).await;
            if let Some(taken) = taken.filter(|it| *it > limit) {
                let (taken, limit) = (megabytes(taken), megabytes(limit));
                return format!("it took {taken} MB of memory and may take {limit} MB");
            }
        }
    }
}

fn megabytes(bytes: u64) -> u64 {
    bytes / 1_000_000
}

enum ProbeRequest {}

impl Request for ProbeRequest {
    type Params = ();
    type Result = serde_json::Value;
    const METHOD: &'static str = "dialect/areYouThere";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_process_that_takes_too_much_is_noticed() {
        let health = |memory| Health { look: Duration::from_millis(1), memory, ..Health::default() };
        let own = Some(rustix::process::getpid());
        let reason = memory_exceeded(own, &health(Some(1_000_000))).await;
        assert!(reason.ends_with("and may take 1 MB"), "{reason}");
        for within in [health(Some(u64::MAX)), health(None)] {
            assert!(timeout(Duration::from_millis(30), memory_exceeded(own, &within)).await.is_err());
        }
    }

    #[tokio::test]
    async fn nobody_begins_to_use_what_somebody_waits_for() {
        let pulse = Liveness::default();
        let used = [pulse.in_use(), pulse.in_use()];
        assert!(used.iter().all(Option::is_some));
        let mut unused = Box::pin(pulse.unused());
        assert!(futures::poll!(unused.as_mut()).is_pending());
        assert!(pulse.in_use().is_none());
        drop(used);
        unused.await;
    }
}
