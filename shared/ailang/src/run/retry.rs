//! Automatic retries of tools that may be called again: those that only read, and idempotent ones.

use std::time::Duration;

use dialect::{Failure, FailureKind, Handler, Interrupt, Invocation, Value};

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

/// Calls a tool, again while that may help.
pub(super) async fn call(
    code: &dyn Handler,
    invocation: Invocation,
    tool: &LinkedTool,
    host: &dyn Host,
    seed: u64,
) -> Result<Value, Interrupt> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut tries, mut waited) = (1, 0.0);
    loop {
        let failure = match code.call(invocation.clone()).await {
            Err(Interrupt::Failure(failure)) if tool.may_repeat => failure,
            result => return result,
        };
        let jitter = 1.0 + JITTER * (2.0 * random.f64() - 1.0);
        let delay =
            delay(&failure, tool, host.now(), tries, jitter).filter(|delay| waited + delay <= LONGEST);
        let Some(delay) = delay else { return Err(failure.into()) };
        host.sleep(Duration::from_secs_f64(delay)).await;
        waited += delay;
        tries += 1;
    }
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
