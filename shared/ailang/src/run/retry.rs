//! Automatic retries of tools that may be called again: those that only read, and idempotent ones.

use std::time::Duration;

use dialect::{Advice, Failure, FailureKind, Handler, Interrupt, Invocation, Value};

use super::host::Host;
use super::linked::LinkedTool;
use crate::throwable::{Bindings, Throwable};

/// The most calls of a tool for one call of a program.
const MOST_TRIES: u64 = 3;

/// The longest time that retries of one call wait, in seconds.
const LONGEST: f64 = 60.0;

/// The first wait, in seconds; each further one is twice as long.
const FIRST: f64 = 0.5;

/// The part of a wait by which it differs at random, up and down.
const JITTER: f64 = 0.2;

/// Returns the seconds to wait after attempt `n`, counted from 0.
pub(super) fn backoff(n: f64) -> f64 {
    (FIRST * 2_f64.powf(n.clamp(0.0, 64.0))).min(LONGEST)
}

/// The tries of a call before this one.
#[derive(Clone, Debug)]
pub(super) struct Tries {
    /// The number of this try.
    pub(super) tries: u64,
    /// The seconds that were waited before it.
    pub(super) waited: f64,
}

impl Default for Tries {
    fn default() -> Self {
        Self { tries: 1, waited: 0.0 }
    }
}

/// Calls a tool, again while that may help.
pub(super) async fn call(
    code: &dyn Handler,
    invocation: Invocation,
    tool: &LinkedTool,
    host: &dyn Host,
    seed: u64,
    Tries { mut tries, mut waited }: Tries,
) -> Result<Value, Interrupt> {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        let failure = match code.call(invocation.clone()).await {
            Err(Interrupt::Failure(failure)) if tool.may_repeat => failure,
            result => return result,
        };
        let jitter = jitter(&mut random);
        let delay =
            delay(&failure, tool, host.now(), tries, jitter).filter(|delay| waited + delay <= LONGEST);
        let Some(delay) = delay else { return Err(failure.into()) };
        host.sleep(Duration::from_secs_f64(delay)).await;
        waited += delay;
        tries += 1;
    }
}

/// Returns the seconds to wait before the second try of a call whose error says all about itself; `None` if a second try
/// does not help.
pub(super) fn first_delay(advice: &Advice, seed: u64) -> Option<f64> {
    let may_retry = advice.retryable && advice.most_retries != Some(0);
    #[expect(clippy::cast_precision_loss, reason = "seconds are few")]
    let wait = || match advice.wait {
        Some(seconds) => seconds as f64,
        None => backoff(0.0) * jitter(&mut fastrand::Rng::with_seed(seed)),
    };
    may_retry.then(wait).filter(|it| *it <= LONGEST)
}

/// Returns the factor by which a wait differs at random.
fn jitter(random: &mut fastrand::Rng) -> f64 {
    1.0 + JITTER * (2.0 * random.f64() - 1.0)
}

/// Returns the seconds to wait before another try; `None` if there is none.
fn delay(failure: &Failure, tool: &LinkedTool, now: f64, tries: u64, jitter: f64) -> Option<f64> {
    let FailureKind::Raised { name, carries, advice, .. } = &*failure.kind else { return None };
    let params = Value::Object(carries.clone()).to_json();
    let known = Bindings { params: &params, now: Some(now) };
    let declared = tool.throws.iter().find(|it| it.name == *name).map(|it: &Throwable| it.advice(&known));
    let (declared, own) = (declared.unwrap_or_default(), advice);
    let most = own.most_retries.or(declared.most_retries).map_or(MOST_TRIES, |most| most.saturating_add(1));
    if !(own.retryable || declared.retryable) || tries >= most.min(MOST_TRIES) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "seconds and tries are few")]
    let delay = match own.wait.or(declared.wait) {
        Some(seconds) => seconds as f64,
        None => backoff(tries.saturating_sub(1) as f64) * jitter,
    };
    Some(delay)
}
