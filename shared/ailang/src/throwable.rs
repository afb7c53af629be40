//! Declared errors with the templates of their messages.

mod evaluate;
mod template;

use dialect::ast::Expression;
use dialect::{Advice, Parameter, Type};
pub(crate) use evaluate::{Bindings, is_computable};
use serde_json::{Value, json};
pub(crate) use template::Template;

use crate::trust::{LONGEST_RECOVERY, plain};
use crate::values::{Problem, Values};

/// A declared error.
#[derive(Clone, Debug)]
pub(crate) struct Throwable {
    pub(crate) name: String,
    /// The parameters; `None` if the document leaves them open.
    pub(crate) carries: Option<Vec<Parameter>>,
    pub(crate) message: Template,
    pub(crate) recovery: Option<Template>,
    pub(crate) for_user: Option<Template>,
    pub(crate) is_retryable: bool,
    pub(crate) retry_after: Option<Expression>,
    pub(crate) most_retries: Option<u64>,
}

impl Throwable {
    /// Checks and coerces the given parameters.
    pub(crate) fn carried(&self, values: &Values, given: &Value) -> Result<Value, Vec<Problem>> {
        let carries = self.carries.clone().map_or(Type::Object, Type::Fields);
        Ok(values.coerce(&carries, given)?.value)
    }

    pub(crate) fn json(&self, params: &Value, now: f64) -> Value {
        let known = Bindings { params, now: Some(now) };
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
        if let Some(for_user) = &self.for_user {
            json["userMessage"] = filled(for_user).into();
        }
        if let Some(most) = self.most_retries {
            json["maxRetries"] = most.into();
        }
        json
    }

    /// Returns the advice with all templates filled.
    pub(crate) fn advice(&self, known: &Bindings<'_>) -> Advice {
        Advice {
            recovery: self.recovery.as_ref().map(|it| it.filled(known)),
            retryable: self.is_retryable,
            wait: self.wait(known),
            after: None,
            most_retries: self.most_retries,
            for_user: self.for_user.as_ref().map(|it| it.filled(known)),
        }
    }

    /// Returns the seconds until a retry is worthwhile.
    fn wait(&self, known: &Bindings<'_>) -> Option<u64> {
        let after = known.value(self.retry_after.as_ref()?)?.as_f64()?;
        let wait = (after - known.now?).ceil().max(0.0);
        serde_json::Number::from_f64(wait)?.to_string().trim_end_matches(".0").parse().ok()
    }
}
