//! Idle tracking: a server without requests may stop until the next one.

use std::future::pending;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// The number of requests that wait for a server. Each change is an event, even to the same number.
#[derive(Debug)]
pub(crate) struct IdleTracker(watch::Sender<usize>);

/// A receiver of the next request after the idle period.
#[derive(Debug)]
pub(crate) struct NextRequest(watch::Receiver<usize>);

/// A guard of a request that waits for the server.
#[derive(Debug)]
pub(crate) struct ActiveRequest<'a>(&'a IdleTracker);

impl IdleTracker {
    /// Starts without requests.
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Announces a request.
    pub(crate) fn rise(&self) {
        drop(self.wait());
    }

    /// Announces a request that waits for the server.
    pub(crate) fn wait(&self) -> ActiveRequest<'_> {
        self.0.send_modify(|it| *it += 1);
        ActiveRequest(self)
    }

    /// Returns `true` while a request waits for the server.
    pub(crate) fn is_active(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Returns the receiver of the next request from now on.
    pub(crate) fn next(&self) -> NextRequest {
        NextRequest(self.0.subscribe())
    }

    /// Waits until there was no request for `limit`; for ever without a limit.
    pub(crate) async fn ceased(&self, limit: Option<Duration>) -> NextRequest {
        let Some(limit) = limit else { return pending().await };
        let mut asked = self.0.subscribe();
        while timeout(limit, asked.changed()).await.is_ok() || *asked.borrow() > 0 {}
        NextRequest(asked)
    }
}

impl Drop for ActiveRequest<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|it| *it -= 1);
    }
}

impl NextRequest {
    /// Waits for a request since the idle period.
    pub(crate) async fn come(mut self) {
        let _ends_with_the_server = self.0.changed().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::time::{Instant, sleep};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(900);

    /// Waits for an event that must come, and fails the test when it does not: the paused clock skips to the bound.
    async fn soon<T>(event: impl Future<Output = T>, what: &str) -> T {
        timeout(100 * LIMIT, event).await.unwrap_or_else(|_| panic!("{what} never came"))
    }

    #[tokio::test(start_paused = true)]
    async fn each_request_restarts_the_idle_period() {
        let (tracker, started) = (Arc::new(IdleTracker::new()), Instant::now());
        let asking = Arc::clone(&tracker);
        tokio::spawn(async move {
            for _ in 0..4 {
                sleep(LIMIT / 2).await;
                asking.rise();
            }
        });
        let next = soon(tracker.ceased(Some(LIMIT)), "idleness").await;
        assert_eq!(started.elapsed(), LIMIT * 3);
        assert!(timeout(LIMIT, next.come()).await.is_err(), "nobody asks any more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_after_the_idle_period_is_noticed_at_once() {
        let tracker = IdleTracker::new();
        let next = soon(tracker.ceased(Some(LIMIT)), "idleness").await;
        let idle = Instant::now();
        tracker.rise();
        soon(next.come(), "the request").await;
        assert_eq!(idle.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_is_not_idle_while_a_request_waits_for_it() {
        let tracker = IdleTracker::new();
        let waiting = tracker.wait();
        assert!(timeout(10 * LIMIT, tracker.ceased(Some(LIMIT))).await.is_err());
        drop(waiting);
        let answered = Instant::now();
        soon(tracker.ceased(Some(LIMIT)), "idleness").await;
        assert_eq!(answered.elapsed(), LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_a_server_is_never_idle() {
        let tracker = IdleTracker::new();
        assert!(timeout(100 * LIMIT, tracker.ceased(None)).await.is_err());
        assert!(timeout(100 * LIMIT, tracker.ceased(Some(LIMIT))).await.is_ok(), "the limit alone kept it");
    }
}
