//! Whether anybody asks a server: one that nobody asks may rest until somebody does.

use std::future::pending;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// Who asks a server: how many wait for it now. Each change counts, to the same number too.
#[derive(Debug)]
pub(crate) struct IdleTracker(watch::Sender<usize>);

/// Waits for the next one who asks, since demand ceased.
#[derive(Debug)]
pub(crate) struct NextRequest(watch::Receiver<usize>);

/// Somebody waits until this is dropped.
#[derive(Debug)]
pub(crate) struct ActiveRequest<'a>(&'a IdleTracker);

impl IdleTracker {
    /// Nobody has asked yet.
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Somebody soon asks.
    pub(crate) fn rise(&self) {
        drop(self.wait());
    }

    /// Somebody asks, and waits for the server.
    pub(crate) fn wait(&self) -> ActiveRequest<'_> {
        self.0.send_modify(|it| *it += 1);
        ActiveRequest(self)
    }

    /// Returns when nobody has asked or waited for so long; never without a limit.
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
    /// Returns when somebody asks, or did so since.
    pub(crate) async fn come(mut self) {
        let _ends_with_the_server = self.0.changed().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::time::{Instant, sleep};

    const LIMIT: Duration = Duration::from_secs(900);

    #[tokio::test(start_paused = true)]
    async fn each_question_puts_rest_off() {
        let (demand, started) = (Arc::new(IdleTracker::new()), Instant::now());
        let asking = Arc::clone(&demand);
        tokio::spawn(async move {
            for _ in 0..4 {
                sleep(LIMIT / 2).await;
                asking.rise();
            }
        });
        let next = demand.ceased(Some(LIMIT)).await;
        assert_eq!(started.elapsed(), LIMIT * 3);
        assert!(timeout(LIMIT, next.come()).await.is_err(), "nobody asks by itself");
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_while_it_goes_to_rest_is_not_overheard() {
        let demand = IdleTracker::new();
        let next = demand.ceased(Some(LIMIT)).await;
        demand.rise();
        next.come().await;
    }

    #[tokio::test(start_paused = true)]
    async fn while_somebody_waits_it_does_not_rest() {
        let demand = IdleTracker::new();
        let waiting = demand.wait();
        assert!(timeout(10 * LIMIT, demand.ceased(Some(LIMIT))).await.is_err());
        drop(waiting);
        demand.ceased(Some(LIMIT)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_it_never_rests() {
        assert!(timeout(100 * LIMIT, IdleTracker::new().ceased(None)).await.is_err());
    }
}
