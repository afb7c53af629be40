//! Restart policy: backoff after a crash, and a limit.

use std::time::{Duration, Instant};

const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// The number of crashes within [`WINDOW`] after which the server is given up.
const CRASH_LIMIT: usize = 5;
const WINDOW: Duration = Duration::from_secs(600);

/// The uptime after which earlier crashes are forgotten.
const HEALTHY: Duration = Duration::from_secs(300);

/// The action after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restart {
    /// Restart it after this time.
    After(Duration),
    /// Keep it stopped for this time, and report that it ended too often.
    GiveUpFor(Duration),
}

/// The recent crashes of one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crashes {
    recent: Vec<Instant>,
}

impl Crashes {
    /// Returns the number of recent crashes.
    pub(crate) fn count(&self) -> usize {
        self.recent.len()
    }

    /// Records a crash at `now` after an uptime of `lived`.
    pub(crate) fn crashed(&mut self, now: Instant, lived: Duration) -> Restart {
        if lived >= HEALTHY {
            self.recent.clear();
        }
        self.recent.retain(|it| now.duration_since(*it) < WINDOW);
        self.recent.push(now);
        if self.recent.len() >= CRASH_LIMIT {
            return Restart::GiveUpFor(WINDOW);
        }
        let doublings = u32::try_from(self.recent.len() - 1).unwrap_or(u32::MAX);
        let delay = FIRST_DELAY.saturating_mul(2u32.saturating_pow(doublings));
        Restart::After(delay.min(LONGEST_DELAY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_waits_longer_each_time_and_gives_up() {
        let mut crashes = Crashes::default();
        let start = Instant::now();
        let delays: Vec<_> =
            (0..5).map(|n| crashes.crashed(start + Duration::from_secs(n), Duration::ZERO)).collect();
        let after = |milliseconds| Restart::After(Duration::from_millis(milliseconds));
        assert_eq!(delays, [after(500), after(1000), after(2000), after(4000), Restart::GiveUpFor(WINDOW)]);
        let later = start + WINDOW + Duration::from_secs(10);
        assert_eq!(crashes.crashed(later, Duration::ZERO), after(500));
    }

    #[test]
    fn a_long_life_makes_up_for_crashes() {
        let mut crashes = Crashes::default();
        let start = Instant::now();
        crashes.crashed(start, Duration::ZERO);
        crashes.crashed(start, Duration::ZERO);
        assert_eq!(crashes.crashed(start + HEALTHY, HEALTHY), Restart::After(FIRST_DELAY));
    }
}
