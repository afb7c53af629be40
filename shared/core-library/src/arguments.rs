//! Optional arguments, and arguments of several types.

use dialect::{Closure, Failure, Invocation, Value};

use crate::failure::{wrong, wrong_argument};

/// The most bytes of an argument that a failure shows.
const LONGEST: usize = 200;

/// Returns the function for an optional parameter.
pub(crate) fn function<'a>(invocation: &'a Invocation, parameter: &str) -> Option<&'a Closure> {
    invocation.arguments.get(parameter).and_then(Value::as_function)
}

/// Returns an argument; null if it is omitted.
pub(crate) fn value<'a>(invocation: &'a Invocation, parameter: &str) -> &'a Value {
    invocation.arguments.get(parameter).unwrap_or(&Value::Null)
}

/// Returns an optional flag; `false` if it is omitted.
pub(crate) fn flag(invocation: &Invocation, parameter: &str) -> bool {
    *value(invocation, parameter) == Value::Bool(true)
}

/// Returns an integer, if it is given.
pub(crate) fn whole(
    function: &str,
    invocation: &Invocation,
    parameter: &str,
) -> Result<Option<i64>, Failure> {
    if *value(invocation, parameter) == Value::Null {
        return Ok(None);
    }
    let found = || dialect::show_start(value(invocation, parameter), LONGEST);
    let read = invocation.arguments.read(parameter).map(Some);
    read.map_err(|_| wrong(function, parameter, "a whole number", &found()))
}

/// A list, or the characters of a text.
pub(crate) enum Sequence<'a> {
    List(&'a [Value]),
    Text(&'a str),
}

/// Returns the argument of the parameter `list`.
pub(crate) fn sequence<'a>(function: &str, invocation: &'a Invocation) -> Result<Sequence<'a>, Failure> {
    match value(invocation, "list") {
        Value::List(items) => Ok(Sequence::List(items)),
        Value::Text(text) => Ok(Sequence::Text(text)),
        found => Err(wrong_argument(function, "list", "a list or a string", found)),
    }
}
