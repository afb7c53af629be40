//! Values of a `Result` or an `Option`, and other variants.

use dialect::{Advice, Failure, Value};
use serde_json::json;
use source_text::Span;

use super::halt::{Halt, Thrown, error_value, failure_of, mistake, name_of};

/// Returns the name and the payload of a variant: `{Ok: {value: 1}}`.
pub(super) fn variant(value: &Value) -> Option<(&str, &Value)> {
    let Value::Object(fields) = value else { return None };
    let (name, payload) = fields.first()?;
    let is_variant = fields.len() == 1
        && name.starts_with(|char: char| char.is_ascii_uppercase())
        && payload.fields().is_some();
    is_variant.then_some((name, payload))
}

/// Returns the value of a `Result` or an `Option` that is written as a variant; its error otherwise.
pub(super) fn unwrapped(value: &Value) -> Option<Result<Value, Value>> {
    let (name, payload) = variant(value)?;
    let payload = payload.fields()?.get("value").cloned().unwrap_or_default();
    match name {
        "Ok" | "Some" => Some(Ok(payload)),
        "Err" => Some(Err(payload)),
        "None" => Some(Err(missing_value())),
        _ => None,
    }
}

/// Returns the error of `unwrap` without a value.
pub(super) fn missing_value() -> Value {
    let message = "there is no value to unwrap".to_owned();
    error_value("NotFoundError", json!({"what": "value"}).into(), message, &Advice::default())
}

/// Returns what is thrown for the error in a `Result`.
pub(super) fn thrown(error: Value, span: Span) -> Halt {
    match name_of(&error) {
        Some(_) => Halt::Thrown(Thrown { error, span: Some(span) }),
        None => Halt::of(thrown_failure(&error), span),
    }
}

/// Returns the failure for the error in a `Result`.
pub(super) fn thrown_failure(error: &Value) -> Failure {
    match name_of(error) {
        Some(_) => failure_of(error),
        None => mistake(format!("this is an error: {}", dialect::show_start(error, 200))),
    }
}
