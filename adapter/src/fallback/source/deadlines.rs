//! The deadlines of a request: for its answer, and for waiting on servers that still load.

use std::time::{Duration, Instant};

use ide_protocol::Retry;

/// The deadline when the request sets none.
const DEADLINE: Duration = Duration::from_secs(40);

/// The time kept for a syntactic answer if the server is not ready.
const RESERVE: Duration = Duration::from_secs(3);

/// The longest time in milliseconds; more could overflow the clock.
const LIMIT: u64 = 3_600_000;

/// The deadlines of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadlines {
    /// The time by which the answer must be returned.
    pub(crate) deadline: Instant,
    /// The time until which a loading server is awaited; a ready server has until `deadline`.
    pub(crate) ready: Instant,
    /// `true` if the request limits the wait for loading servers.
    pub(crate) is_limited: bool,
    /// `true` if the request says how long to wait for loading servers; otherwise the syntax answers where it can.
    pub(crate) is_waiting: bool,
}

impl Deadlines {
    /// Computes the deadlines from a request's limits, in milliseconds from now.
    pub(crate) fn new(deadline_ms: Option<u64>, wait_ms: Option<u64>) -> Self {
        let after = |milliseconds: u64| Instant::now() + Duration::from_millis(milliseconds.min(LIMIT));
        let deadline = deadline_ms.map_or_else(|| Instant::now() + DEADLINE, after);
        let ready = wait_ms.map_or(deadline, after).min(deadline);
        Self { deadline, ready, is_limited: ready < deadline, is_waiting: wait_ms.is_some() }
    }

    /// Returns the way to ask again.
    pub(crate) fn retry(self) -> Retry {
        if self.is_limited { Retry::LongerWait } else { Retry::Later }
    }

    /// Returns the deadlines for what may take that long, and half of the time that is left.
    pub(crate) fn within(self, limit: Duration) -> Self {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let deadline = Instant::now() + limit.min(left / 2);
        Self { deadline, ready: self.ready.min(deadline), ..self }
    }

    /// Returns the deadlines for a server, with time reserved for a syntactic answer.
    pub(crate) fn with_reserve(self) -> Self {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let deadline = self.deadline.checked_sub(RESERVE.min(left / 5)).unwrap_or(self.deadline);
        Self { deadline, ready: self.ready.min(deadline), ..self }
    }
}

/// A callback for each step of progress of one request. It must not block.
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
            let within = Deadlines::new(deadline, wait);
            assert_eq!((soon(within.deadline), soon(within.ready), within.is_limited), expected);
        }
        let lower = Deadlines::new(Some(40_000), None).with_reserve();
        assert_eq!((soon(lower.deadline), soon(lower.ready)), (37.0, 37.0));
        assert_eq!(soon(Deadlines::new(Some(40_000), Some(1_000)).with_reserve().ready), 1.0);
    }
}
