//! The parts that all rows share.

use std::future::ready;

use dialect::{Arguments, Effect, Failure, Function, Interrupt, Invocation, Value};

use crate::run::halt::mistake;

/// Makes the row of a function that computes from its arguments alone.
pub(super) fn pure(
    signature: &str,
    summary: &str,
    code: impl Fn(&Invocation) -> Result<Value, Failure> + Send + Sync + 'static,
) -> Function {
    let code = move |invocation: Invocation| ready(code(&invocation).map_err(Interrupt::from));
    Function::new(signature, summary, code).effect(Effect::Pure)
}

/// Returns a range of `slice(start, end)`. Negative numbers count from the end.
pub(super) fn range(invocation: &Invocation, length: usize) -> Result<std::ops::Range<usize>, Failure> {
    let at = |parameter: &str, otherwise: usize| -> Result<usize, Failure> {
        let Some(number) = whole(invocation, parameter)? else { return Ok(otherwise) };
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let from_start = if number < 0 { length.saturating_add(number) } else { number };
        Ok(usize::try_from(from_start.clamp(0, length)).unwrap_or(otherwise))
    };
    let (start, end) = (at("start", 0)?, at("end", length)?);
    Ok(start..end.max(start))
}

/// Returns a whole number; the nearest that fits for one beyond all lengths.
pub(super) fn whole(invocation: &Invocation, parameter: &str) -> Result<Option<i64>, Failure> {
    let Some(Value::Number(number)) = invocation.arguments.get(parameter) else { return Ok(None) };
    let most = if number.as_f64().is_some_and(|it| it < 0.0) { i64::MIN } else { i64::MAX };
    Ok(Some(number.as_i64().unwrap_or(most)))
}

/// Returns the further arguments of an open signature, which have no names.
pub(super) fn further(arguments: &Arguments) -> Result<&[Value], Failure> {
    let named = arguments.get("kwargs").and_then(Value::fields).and_then(|it| it.keys().next());
    match named {
        Some(name) => Err(mistake(format!("no parameter of this function is called `{name}`"))),
        None => Ok(arguments.get("args").and_then(Value::as_list).unwrap_or_default()),
    }
}
