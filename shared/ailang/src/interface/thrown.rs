//! Errors at run time: what one says with the values that it carries, as JSON and as a failure.

mod evaluate;
mod template;

use std::sync::Arc;

use dialect::ast::Expression;
use dialect::{Advice, ErrorTemplate, Failure, FailureKind, Object, Parameter, Type};
use serde_json::{Map, Value, json};

use crate::Interface;
use crate::trust::{LONGEST_RECOVERY, plain};
use crate::values::{Problem, Values};
use evaluate::Known;
pub(crate) use template::Template;

/// What everything may fail with: whoever runs it failed.
const INTERNAL: &str = "InternalError";

/// An error that documents declare, as it is thrown.
#[derive(Clone, Debug)]
pub(crate) struct Throwable {
    pub(crate) name: String,
    /// What it carries; `None` when the document leaves it open.
    pub(crate) carries: Option<Vec<Parameter>>,
    pub(crate) message: Template,
    pub(crate) recovery: Option<Template>,
    pub(crate) for_user: Option<Template>,
    pub(crate) is_retryable: bool,
    pub(crate) retry_after: Option<Expression>,
    pub(crate) most_retries: Option<u64>,
}

impl Interface {
    /// The JSON of the error of that name: `{"error", "params", "message", "recovery", "retryable", "retryAfter"}`,
    /// without `recovery` and `retryAfter` where it has none. `now` is the time in seconds since the start of 1970.
    ///
    /// # Errors
    /// When no document declares it, or it does not carry that.
    pub fn thrown(&self, name: &str, params: &Map<String, Value>, now: f64) -> Result<Value, Vec<Problem>> {
        let Some(error) = self.throwables.iter().find(|it| it.name == name) else {
            return Err(vec![Problem::new("error", "the name of an error of the documents", &name.into())]);
        };
        let params = error.carried(&self.values(), &Value::Object(params.clone()))?;
        Ok(error.json(&params, now))
    }
}

impl Throwable {
    /// What it carries, made fit.
    fn carried(&self, values: &Values, given: &Value) -> Result<Value, Vec<Problem>> {
        let carries = self.carries.clone().map_or(Type::Object, Type::Fields);
        Ok(values.coerce(&carries, given)?.value)
    }

    fn json(&self, params: &Value, now: f64) -> Value {
        let known = Known { params, now: Some(now) };
        let filled = |template: &Template| plain(&template.filled(&known), LONGEST_RECOVERY);
        let message = filled(&self.message);
        let mut json =
            json!({"error": self.name, "params": params, "message": message, "retryable": self.is_retryable});
        if let Some(recovery) = &self.recovery {
            json["recovery"] = filled(recovery).into();
        }
        let after = self.retry_after.as_ref().and_then(|it| known.value(it));
        if let Some(after) = after.filter(Value::is_number) {
            json["retryAfter"] = after;
        }
        json
    }

    /// What to do about it.
    fn advice(&self, known: &Known<'_>) -> Advice {
        Advice {
            recovery: self.recovery.as_ref().map(|it| it.filled(known)),
            retryable: self.is_retryable,
            wait: self.wait(known),
            most_retries: self.most_retries,
            for_user: self.for_user.as_ref().map(|it| it.filled(known)),
        }
    }

    /// In how many seconds it is worth trying again.
    fn wait(&self, known: &Known<'_>) -> Option<u64> {
        let after = known.value(self.retry_after.as_ref()?)?.as_f64()?;
        let wait = (after - known.now?).ceil().max(0.0);
        serde_json::Number::from_f64(wait)?.to_string().trim_end_matches(".0").parse().ok()
    }
}

/// The errors of one callable, as its code throws them.
pub(super) struct Throwing {
    pub(super) callable: String,
    pub(super) throwables: Vec<Throwable>,
    pub(super) values: Arc<Values>,
    /// The time in seconds since the start of 1970.
    pub(super) clock: Option<fn() -> f64>,
}

impl Throwing {
    pub(super) fn into_telling(self) -> ErrorTemplate {
        Arc::new(move |failure| self.told(failure))
    }

    /// The failure in the words of its declaration. One that was not declared so is one of the library.
    fn told(&self, failure: Failure) -> Failure {
        let FailureKind::Raised { name, message, carries, advice } = *failure.kind else { return failure };
        let kind = match self.throwables.iter().find(|it| it.name == name) {
            Some(error) => self.filled(error, message, carries, advice),
            None if name == INTERNAL => FailureKind::Raised { name, message, carries, advice },
            None => self.undeclared(name, message, Vec::new()),
        };
        Failure { kind: Box::new(kind), ..failure }
    }

    fn undeclared(&self, name: String, message: String, problems: Vec<String>) -> FailureKind {
        FailureKind::Undeclared { callable: self.callable.clone(), name, message, problems }
    }

    /// What code says itself stays as it is; where it carries nothing, nothing fills holes.
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
        let known = Known { params: &params, now: self.clock.map(|clock| clock()) };
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
            most_retries: advice.most_retries.or(declared.most_retries),
            for_user: advice.for_user.or(declared.for_user),
        };
        FailureKind::Raised { name: error.name.clone(), message, carries, advice }
    }
}
