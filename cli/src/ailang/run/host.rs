//! The clock of programs, and their user.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ailang::Host;
use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;

use super::user::User;

/// The world of a run.
#[derive(Debug)]
pub(super) struct RunHost {
    /// The time at which the clock stands, in seconds since 1970; waiting then takes no time. Without it, the clock is
    /// that of this machine.
    pub(super) now: Option<f64>,
    pub(super) user: Arc<User>,
}

impl Host for RunHost {
    fn now(&self) -> f64 {
        let machine = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        self.now.unwrap_or_else(machine)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        match self.now {
            Some(_) => std::future::ready(()).boxed(),
            None => tokio::time::sleep(duration).boxed(),
        }
    }

    fn ask(&self, question: &str, options: &[String]) -> BoxFuture<'static, Result<Option<String>, String>> {
        if !User::is_there() {
            return std::future::ready(Err(NOBODY.to_owned())).boxed();
        }
        let (user, question, options) = (Arc::clone(&self.user), question.to_owned(), options.to_vec());
        async move { Ok(user.choose(&question, &options).await.map(|it| options[it].clone())) }.boxed()
    }
}

/// The remedy where nobody can be asked.
const NOBODY: &str = "there is no terminal to ask on; run it on one, or give `--mock` a file with the answer: \
                      {\"promptUser\": [{\"result\": \"Allow\"}]}";

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
