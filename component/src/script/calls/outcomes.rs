//! The outcomes of calls, as programs receive them.

use dialect::{FailureKind, Object, Outcome, diagnostic};
use ide_protocol::{ErrorCode, IdeError};
use script_protocol::{CallError, CallOutcome, Candidate, ErrorKind, Exact};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Calls;
use unpoisoned::lock;

use crate::permission::denied_name::is_denied;

/// The maximum size of one result, in bytes.
pub(super) const RESULT: usize = 4 * 1024 * 1024;

impl Calls {
    /// Returns the outcome of a program of Dialect, in which `functions` have names. Its candidates can be chosen under the
    /// number of the call.
    pub(super) fn outcome(
        &self,
        number: u64,
        label: &str,
        outcome: Outcome,
        functions: Object,
    ) -> CallOutcome {
        match outcome {
            Outcome::Success(success) => {
                let notes = success.notes.into_iter().map(|it| it.text).collect();
                exactly(label, self.exact(&success.value), notes)
            }
            Outcome::Failure(failures) => {
                let diagnostic_texts = failures.all.iter().map(|it| {
                    let shown = diagnostic(it);
                    shown.message + &shown.help.map(|it| format!("\n{it}")).unwrap_or_default()
                });
                let message = diagnostic_texts.collect::<Vec<_>>().join("\n");
                let is_denied = failures.all.iter().any(is_denied);
                let is_raised = failures.all.iter().all(|it| matches!(&*it.kind, FailureKind::Raised { .. }));
                let kind = match () {
                    () if is_denied => ErrorKind::Denied,
                    () if is_raised => ErrorKind::Failure,
                    () => ErrorKind::Invalid,
                };
                error(label, kind, message)
            }
            Outcome::Ambiguity(ambiguity) => {
                let each = ambiguity.candidates();
                let programs = each.iter().map(|it| it.program.clone()).collect();
                lock(&self.candidates).insert(number, (programs, functions));
                let candidates = each
                    .iter()
                    .map(|it| Candidate { description: it.description.clone(), program: it.program.clone() })
                    .collect();
                CallOutcome::Error(CallError {
                    operation: label.to_owned(),
                    kind: ErrorKind::Ambiguous,
                    message: ambiguity.question().to_owned(),
                    candidates,
                })
            }
        }
    }
}

pub(super) fn error(label: &str, kind: ErrorKind, message: String) -> CallOutcome {
    CallOutcome::Error(CallError { operation: label.to_owned(), kind, message, candidates: Vec::new() })
}

pub(super) fn invalid(label: &str, message: &str) -> CallOutcome {
    error(label, ErrorKind::Invalid, format!("{label}: {message}"))
}

pub(super) fn read_only(label: &str) -> CallOutcome {
    let message = "this is a read-only Dialect, which changes no files; only the user can start it without \
                   `--read-only`";
    error(label, ErrorKind::Denied, message.to_owned())
}

pub(super) fn failed(label: &str, why: IdeError) -> CallOutcome {
    let kind = match why.kind {
        ErrorCode::InvalidRequest => ErrorKind::Invalid,
        _ => ErrorKind::Failure,
    };
    let recovery = why.recovery.map(|it| format!("\n{it}")).unwrap_or_default();
    error(label, kind, why.message + &recovery)
}

pub(super) fn returned(label: &str, value: &Value, notes: Vec<String>) -> CallOutcome {
    exactly(label, Exact::new(value.to_string()), notes)
}

fn exactly(label: &str, Exact { json, mark }: Exact, notes: Vec<String>) -> CallOutcome {
    if json.len() > RESULT {
        let message =
            format!("{label} returns {} MiB, and the limit is 4 MiB; ask for less", json.len() >> 20);
        return error(label, ErrorKind::Limit, message);
    }
    let value = RawValue::from_string(json).expect("it was just written as JSON");
    CallOutcome::Success { value, mark, notes }
}
