//! Thrown errors, as JSON and as failures of programs.

use std::sync::Arc;

use dialect::{Advice, ErrorTemplate, Failure, FailureKind, Object};
use serde_json::{Map, Value};

use super::tables::{Clock, Interface};
use crate::throwable::{Bindings, Throwable};
use crate::values::{Problem, Values};

/// The errors that every tool may fail with: those of the runtime around it.
const IMPLICIT: &[&str] = &[
    "InternalError",
    "ValidationError",
    "CapabilityDeniedError",
    "CapabilityDenied", // as the component calls it
    "AmbiguousError",
    "NotImplementedError",
];

impl Interface {
    /// Returns the JSON of a thrown error: `error`, `params`, `message`, `recovery`, `retryable`,
    /// `retryAfter`, `userMessage` and `maxRetries`.
    ///
    /// Those that the declaration does not have are missing. `now` is in seconds since the
    /// Unix epoch.
    ///
    /// # Errors
    /// When no document declares the error, or `params` do not fit its parameters.
    pub fn thrown(&self, name: &str, params: &Map<String, Value>, now: f64) -> Result<Value, Vec<Problem>> {
        let Some(error) = self.throwables.iter().find(|it| it.name == name) else {
            return Err(vec![Problem::new("error", "the name of an error of the documents", &name.into())]);
        };
        let params = error.carried(&self.values(), &Value::Object(params.clone()))?;
        Ok(error.json(&params, now))
    }
}

/// The errors that one callable declares.
pub(super) struct DeclaredErrors {
    pub(super) callable: String,
    pub(super) throwables: Vec<Throwable>,
    pub(super) values: Arc<Values>,
    /// The time in seconds since the Unix epoch.
    pub(super) clock: Option<Clock>,
}

impl DeclaredErrors {
    pub(super) fn into_error_template(self) -> ErrorTemplate {
        Arc::new(move |failure| self.describe(failure))
    }

    /// Renders a failure with its declaration. An undeclared error is reported as a bug of the library.
    fn describe(&self, failure: Failure) -> Failure {
        let FailureKind::Raised { name, message, carries, advice } = *failure.kind else { return failure };
        let kind = match self.throwables.iter().find(|it| it.name == name) {
            Some(error) => self.filled(error, message, carries, advice),
            None if IMPLICIT.contains(&name.as_str()) => {
                FailureKind::Raised { name, message, carries, advice }
            }
            None => self.undeclared(name, message, Vec::new()),
        };
        Failure { kind: Box::new(kind), ..failure }
    }

    fn undeclared(&self, name: String, message: String, problems: Vec<String>) -> FailureKind {
        FailureKind::Undeclared { callable: self.callable.clone(), name, message, problems }
    }

    /// Fills the declared templates. A message of the code itself is kept; without parameters no hole is
    /// filled.
    fn filled(&self, error: &Throwable, message: String, carries: Object, advice: Advice) -> FailureKind {
        let has_own_words = !message.is_empty();
        let given = dialect::Value::Object(carries.clone()).to_json();
        let params = match error.carried(&self.values, &given) {
            Ok(params) => params,
            Err(_) if has_own_words && carries.is_empty() => given,
            Err(problems) => {
                let problems = problems.iter().map(ToString::to_string).collect();
                return self.undeclared(error.name.clone(), message, problems);
            }
        };
        let known = Bindings { params: &params, now: self.clock.as_ref().map(|clock| (clock.0)()) };
        let message = if has_own_words { message } else { error.message.filled(&known) };
        let mut declared = error.advice(&known);
        if has_own_words && carries.is_empty() {
            declared.recovery = error.recovery.as_ref().and_then(|it| it.complete(&known));
            declared.for_user = error.for_user.as_ref().and_then(|it| it.complete(&known));
        }
        let advice = Advice {
            recovery: advice.recovery.or(declared.recovery),
            retryable: advice.retryable || declared.retryable,
            wait: advice.wait.or(declared.wait),
            after: advice.after,
            most_retries: advice.most_retries.or(declared.most_retries),
            for_user: advice.for_user.or(declared.for_user),
        };
        FailureKind::Raised { name: error.name.clone(), message, carries, advice }
    }
}
