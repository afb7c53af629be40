//! The clock of programs: this machine's.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ailang::Host;
use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;

/// A host with the clock of this machine. Nobody answers questions.
#[derive(Debug)]
pub(super) struct SystemHost;

impl Host for SystemHost {
    fn now(&self) -> f64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep(duration).boxed()
    }
}

/// Parses a time: seconds since 1970, or a date with a time and a zone.
pub(super) fn time(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|it: &f64| it.is_finite());
    #[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^53")]
    let date = || text.parse::<Timestamp>().map(|it| it.as_second() as f64);
    match seconds {
        Some(seconds) => Ok(seconds),
        None => date().map_err(|_| "expected seconds since 1970, or such as 2026-01-31T12:00:00Z".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_seconds_or_a_date() {
        assert_eq!(time("1760000000"), Ok(1_760_000_000.0));
        assert_eq!(time("1970-01-01T00:01:00Z"), Ok(60.0));
        assert!(time("noon").is_err() && time("inf").is_err());
    }
}
