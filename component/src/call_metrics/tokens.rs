//! The line of a program in the log of calls: its tokens are counted here, on the thread that writes.

use super::functions::{CallValues, Functions};
use super::meter::Said;
use crate::audit::{FunctionCalls, Measured};

/// Adds the functions to the measurements of their program.
pub(super) fn with_functions(measured: Measured, functions: Functions) -> Measured {
    let mut each: Vec<FunctionCalls> = functions
        .groups
        .into_iter()
        .map(|it| FunctionCalls {
            function: it.function,
            outcome: it.ending,
            error: it.error,
            calls: it.samples.seen,
            total_ms: rounded(it.samples.total),
            max_ms: rounded(it.samples.longest),
            ms: it.samples.kept.into_iter().map(rounded).collect(),
            each: it.samples.each,
            tokens_in: 0,
            tokens_out: 0,
            uncounted: it.uncounted,
        })
        .collect();
    for CallValues { group, given, returned } in functions.values {
        each[group].tokens_in += given.tokens();
        each[group].tokens_out += returned.tokens();
    }
    Measured { functions: each, ..measured }
}

/// Returns a duration to a thousandth of a millisecond.
pub(super) fn rounded(milliseconds: f64) -> f64 {
    (milliseconds * 1_000.0).round() / 1_000.0
}

/// Returns the estimated tokens of a text.
pub(super) fn count(text: &str) -> u64 {
    u64::try_from(dialect::tokens(text)).unwrap_or(u64::MAX)
}

impl Said {
    /// Returns the estimated tokens of its text.
    fn tokens(&self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Value(value) => count(&value.to_json().to_string()),
            Self::Text(text) => count(text),
            Self::Failure(failure) => count(&dialect::diagnostic(failure).message),
        }
    }
}
