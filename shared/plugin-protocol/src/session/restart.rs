//! The delay before a plugin starts again: longer after each crash, and much longer after too many.

use std::time::Duration;

use crate::session::Time;

const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// The number of crashes within [`WINDOW`] after which the plugin rests that long.
const CRASH_LIMIT: usize = 5;
const WINDOW: Duration = Duration::from_secs(600);

/// The length of a life after which earlier crashes are forgotten.
const HEALTHY: Duration = Duration::from_secs(300);

/// The recent crashes of a plugin.
#[derive(Clone, Debug, Default)]
pub(super) struct Crashes {
    recent: Vec<Time>,
}

impl Crashes {
    /// Records a crash at `now` after a life of this length. Returns the delay.
    pub(super) fn crashed(&mut self, now: Time, lived: Duration) -> Duration {
        if lived >= HEALTHY {
            self.recent.clear();
        }
        self.recent.retain(|it| now.saturating_sub(*it) < WINDOW);
        self.recent.push(now);
        if self.recent.len() >= CRASH_LIMIT {
            return WINDOW;
        }
        let doublings = u32::try_from(self.recent.len() - 1).unwrap_or(u32::MAX);
        FIRST_DELAY.saturating_mul(2_u32.saturating_pow(doublings)).min(LONGEST_DELAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_waits_longer_each_time_and_then_rests() {
        let mut crashes = Crashes::default();
        let delays: Vec<_> =
            (0..5).map(|n| crashes.crashed(Duration::from_secs(n), Duration::ZERO).as_millis()).collect();
        assert_eq!(delays, [500, 1000, 2000, 4000, 600_000]);
        assert_eq!(crashes.crashed(WINDOW * 2, Duration::ZERO), FIRST_DELAY);
        assert_eq!(crashes.crashed(WINDOW * 2, HEALTHY), FIRST_DELAY, "a long life makes up for crashes");
    }
}
