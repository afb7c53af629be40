//! Health checks of a running server: it must respond, and stay within its memory limit.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lsp_types::request::Request;
use rustix::process::Pid;
use tokio::sync::{Notify, OwnedRwLockReadGuard, RwLock};
use tokio::time::{Instant, sleep, timeout};

use super::request::Requests;
use crate::fallback::servers::find::config::Health;
use crate::{blocking, os};

/// The time a server that is to end may go on with requests under way.
const LAST_ANSWERS: Duration = Duration::from_secs(60);

/// The time within which a server with time to spare refuses a probe.
const PROMPT: Duration = Duration::from_secs(1);

/// The liveness of a server process.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    /// The number of messages that it has sent.
    heard: Arc<AtomicU64>,
    /// The time a request waits before it has the server probed.
    pub(crate) suspicion: Duration,
    suspected: Notify,
    users: Arc<RwLock<()>>,
}

/// A guard that is held while one answer is made.
pub(crate) type InUse = OwnedRwLockReadGuard<()>;

impl Liveness {
    /// Starts with a counter of messages that the transport keeps.
    pub(crate) fn new(heard: Arc<AtomicU64>, health: &Health) -> Self {
        Self { heard, suspicion: health.suspicion, ..Self::default() }
    }

    /// Requests a probe, because a request waits for long.
    pub(crate) fn suspect(&self) {
        self.suspected.notify_one();
    }

    /// Marks the server as in use while an answer is made; `None` if a restart waits for that.
    pub(crate) fn in_use(&self) -> Option<InUse> {
        Arc::clone(&self.users).try_read_owned().ok()
    }

    /// Returns `true` while an answer is made.
    pub(crate) fn is_in_use(&self) -> bool {
        self.users.try_write().is_err()
    }

    /// Waits until no answer is being made, up to a timeout.
    pub(crate) async fn unused(&self) {
        let _ = timeout(LAST_ANSWERS, self.users.write()).await;
    }

    fn heard(&self) -> u64 {
        self.heard.load(Ordering::Relaxed)
    }
}

/// Waits until a probed server sends nothing at all; returns the reason for the user.
pub(crate) async fn silent(pulse: &Liveness, requests: &Requests, health: &Health) -> String {
    loop {
        pulse.suspected.notified().await;
        let before = pulse.heard();
        // Computing does not keep a server from refusing what it has never heard of, unless it has one thread alone.
        let answer = timeout(health.silence, probe(requests)).await;
        if answer.is_err() && pulse.heard() == before {
            return format!("it hangs: nothing was heard of it for {} s", health.silence.as_secs());
        }
    }
}

/// Waits until a server that says nothing counts as idle: after each grace period it is probed, until it answers promptly.
///
/// A busy machine keeps a server from saying that it loads. It keeps it from answering the probe just as well.
pub(crate) async fn idle<A: Future>(grace: Duration, probe: impl Fn() -> A) {
    loop {
        sleep(grace).await;
        let sent = Instant::now();
        probe().await;
        if sent.elapsed() <= PROMPT {
            return;
        }
    }
}

/// Sends a request that a server refuses as unknown, and waits for its answer.
pub(crate) async fn probe(requests: &Requests) {
    // Any answer will do.
    let _answer = requests.ask::<ProbeRequest>(()).await;
}

/// Waits until a server exceeds its memory limit; returns the reason for the user.
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

    #[tokio::test(start_paused = true)]
    async fn a_server_short_of_time_is_not_idle() {
        let answers = std::cell::RefCell::new(vec![0, 90, 2]);
        let began = Instant::now();
        idle(Duration::from_secs(10), || sleep(Duration::from_secs(answers.borrow_mut().pop().unwrap())))
            .await;
        assert_eq!(began.elapsed().as_secs(), 10 + 2 + 10 + 90 + 10);
    }

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
