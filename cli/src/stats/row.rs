//! The numbers of one tool or function.

use std::collections::BTreeMap;

use component::audit::{Ending, FunctionCalls};
use metrics::{Durations, rate};

/// The numbers of one tool or function.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// The calls that ran, however they ended.
    pub(super) calls: u64,
    /// The calls that failed, by the names of their errors.
    pub(super) errors: BTreeMap<String, u64>,
    /// The calls that asked which of several meanings is meant.
    pub(super) ambiguous: u64,
    pub(super) cancelled: u64,
    /// Questions to the user.
    pub(super) requested: u64,
    pub(super) granted: u64,
    pub(super) denied: u64,
    pub(super) durations: Durations,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    /// The calls whose tokens are not known.
    pub(super) uncounted: u64,
    /// The time of the last call, in seconds since the start of 1970; 0 without calls.
    pub(super) last: u64,
}

impl Row {
    /// Adds calls that ended alike. Denied ones did not run.
    pub(super) fn add(&mut self, calls: &FunctionCalls, ts: u64) {
        self.count(calls.outcome, calls.error.as_deref(), calls.calls);
        self.durations.add(calls.calls, calls.total_ms, calls.max_ms, &calls.ms, calls.each);
        self.tokens_in += calls.tokens_in;
        self.tokens_out += calls.tokens_out;
        self.uncounted += calls.uncounted;
        self.last = self.last.max(ts);
    }

    /// Adds calls of one outcome; `error` is the name of the failure that they ended with.
    pub(super) fn count(&mut self, outcome: Ending, error: Option<&str>, calls: u64) {
        match outcome {
            Ending::Denied => {
                self.denied += calls;
                return;
            }
            Ending::Success => {}
            Ending::Ambiguity => self.ambiguous += calls,
            Ending::Cancelled => self.cancelled += calls,
            Ending::Failure => {
                *self.errors.entry(error.unwrap_or("unknown").to_owned()).or_default() += calls;
            }
        }
        self.calls += calls;
    }

    pub(super) fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Returns failures by calls; `None` without calls.
    pub(super) fn error_rate(&self) -> Option<f64> {
        rate(self.failed(), self.calls)
    }

    /// Returns denials by denials and calls; `None` without either.
    pub(super) fn denial_rate(&self) -> Option<f64> {
        rate(self.denied, self.denied + self.calls)
    }
}
