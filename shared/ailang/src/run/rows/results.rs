//! Methods of a `Result`, an `Option`, or a value that may be one.

use dialect::{Function, Invocation, Value};

use super::row::pure;
use crate::run::variant::{missing_value, thrown_failure, unwrapped};

pub(super) fn rows() -> Vec<Function> {
    let tests: [(&str, &str, bool); 4] = [
        ("isOk", "True for a value, false for an error.", true),
        ("isSome", "True for a value, false for none.", true),
        ("isErr", "True for an error.", false),
        ("isNone", "True for no value.", false),
    ];
    let tests = tests.map(|(name, summary, wanted)| {
        pure(&format!("Any.{name}(result: any) -> boolean"), summary, move |it| {
            Ok((of(it).is_ok() == wanted).into())
        })
    });
    let others = [
        pure("Any.unwrap(result: any) -> any", "Returns the value; throws the error.", |it| {
            of(it).map_err(|error| thrown_failure(&error))
        }),
        pure(
            "Any.unwrapOr(result: any, otherwise: any) -> any",
            "Returns the value; for an error or none what is given.",
            |it| Ok(of(it).unwrap_or_else(|_| it.arguments.get("otherwise").cloned().unwrap_or_default())),
        ),
        pure("Any.error(result: any) -> any", "Returns the error; null for a value.", |it| {
            Ok(of(it).err().unwrap_or_default())
        }),
    ];
    tests.into_iter().chain(others).collect()
}

/// Returns the value of a result, or its error.
fn of(invocation: &Invocation) -> Result<Value, Value> {
    let value = invocation.arguments.get("result").unwrap_or(&Value::Null);
    match unwrapped(value) {
        Some(result) => result,
        None if *value == Value::Null => Err(missing_value()),
        None => Ok(value.clone()),
    }
}
