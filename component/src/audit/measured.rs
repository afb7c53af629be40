//! The measurements of a program that has run, as its line in the log of calls.

use serde::{Deserialize, Serialize};

/// The measurements of one call of a tool, and of the functions that its program called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Measured {
    /// The duration, in milliseconds.
    pub ms: f64,
    /// The outcome of the whole program.
    pub outcome: Ending,
    /// The name of the first error, if it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// The estimated tokens of the program.
    pub tokens_in: u64,
    /// The estimated tokens of the answer.
    pub tokens_out: u64,
    /// The functions that were called, by their outcomes.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub functions: Vec<FunctionCalls>,
    /// The answers of language servers that were in the cache since the line before, in this process.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub cache_hits: u64,
    /// The answers of language servers that were not in the cache since then.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub cache_misses: u64,
    /// The programs since then of which nothing is recorded, because they came faster than they were written.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub lost: u64,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// The call returned a value.
    #[default]
    Success,
    /// The call ended with an error.
    Failure,
    /// The call asked which of several meanings is meant.
    Ambiguity,
    /// A permission that it needs was denied.
    Denied,
    /// The call was dropped before its end, as when the agent cancels it.
    Cancelled,
}

impl Ending {
    /// Returns the outcome as the log spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Ambiguity => "ambiguity",
            Self::Denied => "denied",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The calls of one function within a program that ended alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionCalls {
    /// The name of the function in programs, without its library.
    pub function: String,
    /// The outcome of these calls.
    pub outcome: Ending,
    /// The name of the error of these calls, if they failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// The number of calls.
    pub calls: u64,
    /// The sum of all durations, in milliseconds. A call contains the calls of the functions that it was given.
    pub total_ms: f64,
    /// The longest duration, in milliseconds.
    pub max_ms: f64,
    /// The durations of single calls, in milliseconds: of all of them, or of every `each`-th.
    pub ms: Vec<f64>,
    /// The number of calls that one element of `ms` stands for.
    #[serde(skip_serializing_if = "is_one", default = "one")]
    pub each: u64,
    /// The estimated tokens of the arguments.
    pub tokens_in: u64,
    /// The estimated tokens of the results, and of the messages of errors.
    pub tokens_out: u64,
    /// The calls whose tokens were not counted, because there were too many.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub uncounted: u64,
}

fn one() -> u64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(number: &u64) -> bool {
    *number == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
