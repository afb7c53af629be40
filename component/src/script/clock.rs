//! The time that a script may take, which stands still while the user decides.

use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use unpoisoned::lock;

/// A time limit that can be paused.
#[derive(Debug)]
pub(super) struct Clock {
    limit: Duration,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    /// The time that counts so far, without that since `running`.
    used: Duration,
    /// The time since which it counts.
    running: Instant,
    pauses: u32,
}

/// A pause, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Pause<C: Deref<Target = Clock>>(C);

impl Clock {
    pub(super) fn start(limit: Duration) -> Self {
        let state = State { used: Duration::ZERO, running: Instant::now(), pauses: 0 };
        Self { limit, state: Mutex::new(state), changed: Notify::new() }
    }

    /// Stops the clock, as long as the pause is held.
    pub(super) fn pause(&self) -> Pause<&Self> {
        self.stop();
        Pause(self)
    }

    /// Stops the clock as [`Self::pause`], by a pause that keeps the clock.
    pub(super) fn hold(self: &Arc<Self>) -> Pause<Arc<Self>> {
        self.stop();
        Pause(Arc::clone(self))
    }

    fn stop(&self) {
        let mut state = lock(&self.state);
        if state.pauses == 0 {
            let counted = state.running.elapsed();
            state.used += counted;
        }
        state.pauses += 1;
        self.changed.notify_one();
    }

    /// Waits until the time is over.
    pub(super) async fn expired(&self) {
        loop {
            let left = {
                let state = lock(&self.state);
                let left = self.limit.saturating_sub(state.used).saturating_sub(state.running.elapsed());
                (state.pauses == 0).then_some(left)
            };
            match left {
                Some(Duration::ZERO) => return,
                Some(left) => {
                    tokio::select! {
                        () = tokio::time::sleep(left) => {}
                        () = self.changed.notified() => {}
                    }
                }
                None => self.changed.notified().await,
            }
        }
    }
}

impl<C: Deref<Target = Clock>> Drop for Pause<C> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.pauses -= 1;
        if state.pauses == 0 {
            state.running = Instant::now();
        }
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_pause_does_not_count() {
        let (clock, begun) = (Clock::start(Duration::from_secs(10)), Instant::now());
        let pausing = async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            let _one = clock.pause();
            let two = clock.pause();
            tokio::time::sleep(Duration::from_secs(60)).await;
            drop(two);
            tokio::time::sleep(Duration::from_secs(60)).await;
        };
        tokio::join!(clock.expired(), pausing);
        assert_eq!(begun.elapsed(), Duration::from_secs(130));
    }
}
