//! The time that a question has: until when an answer is of use, and until when servers that load are waited for.

use std::time::{Duration, Instant};

/// Within which time an answer is of use, when the request does not say.
const DEADLINE: Duration = Duration::from_secs(40);

/// What is kept of the time for an answer of a lower tier, so that there is one when the server is not ready in time.
const RESERVE: Duration = Duration::from_secs(3);

/// A time beyond an hour is no limit; adding it to a clock could overflow.
const LIMIT: u64 = 3_600_000;

/// The time that a question has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within {
    /// Until when an answer is of use.
    pub(crate) deadline: Instant,
    /// Until when a server that loads is waited for; one that is ready has until the deadline.
    pub(crate) ready: Instant,
    /// Whether somebody said so.
    pub(crate) is_limited: bool,
}

impl Within {
    /// From what a request says, in milliseconds from now.
    pub(crate) fn new(deadline_ms: Option<u64>, wait_ms: Option<u64>) -> Self {
        let after = |milliseconds: u64| Instant::now() + Duration::from_millis(milliseconds.min(LIMIT));
        let deadline = deadline_ms.map_or_else(|| Instant::now() + DEADLINE, after);
        let ready = wait_ms.map_or(deadline, after).min(deadline);
        Self { deadline, ready, is_limited: ready < deadline }
    }

    /// When to ask again, where the server was not ready: the end of a sentence.
    pub(crate) fn later(self) -> &'static str {
        if self.is_limited { "with a longer `wait`" } else { "in a while" }
    }

    /// The time of a server where a lower tier answers in its place: that takes time too.
    pub(crate) fn before_lower(self) -> Self {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let deadline = self.deadline.checked_sub(RESERVE.min(left / 5)).unwrap_or(self.deadline);
        Self { deadline, ready: self.ready.min(deadline), ..self }
    }
}

/// Called with each step of progress of one request; must not block.
pub type OnProgress = Box<dyn Fn(String, Option<u32>) + Send + Sync>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_waited_for_as_long_as_somebody_says_and_no_longer_than_the_deadline() {
        let soon = |it: Instant| it.saturating_duration_since(Instant::now()).as_secs_f64().round();
        for (deadline, wait, expected) in [
            (None, None, (40.0, 40.0, false)),
            (Some(20_000), None, (20.0, 20.0, false)),
            (Some(20_000), Some(0), (20.0, 0.0, true)),
            (Some(20_000), Some(5_000), (20.0, 5.0, true)),
            (Some(20_000), Some(u64::MAX), (20.0, 20.0, false)),
        ] {
            let within = Within::new(deadline, wait);
            assert_eq!((soon(within.deadline), soon(within.ready), within.is_limited), expected);
        }
        let lower = Within::new(Some(40_000), None).before_lower();
        assert_eq!((soon(lower.deadline), soon(lower.ready)), (37.0, 37.0));
        assert_eq!(soon(Within::new(Some(40_000), Some(1_000)).before_lower().ready), 1.0);
    }
}
