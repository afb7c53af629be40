//! The methods and functions that documents know beside the tools: rows with signatures.
//!
//! Methods are those of the libraries, which programs of Dialect call as well: `xs.map(f)` is `map(xs, f)`. The rows here
//! are what documents have beside them. Each says what TypeScript means by it where Dialect has another meaning, or none.
//! The name of a method's row starts with the class of its receiver: `Text.replace`.

mod lists;
mod numbers;
mod objects;
mod results;
mod texts;

pub(super) use self::lists::Change;
pub(super) use self::numbers::value as number;

use std::future::ready;
use std::sync::LazyLock;

use dialect::{
    Arguments, Caller, Effect, Failure, Function, Interrupt, Invocation, Library, Registry, Value,
};

use super::halt::mistake;

/// The class of the methods that every value has.
const ANY: &str = "Any";

/// The rows, in a registry of their own.
static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| Registry::new([library()]).expect("the signatures are right, as tests show"));

fn library() -> Library {
    let themes = [lists::rows(), texts::rows(), objects::rows(), numbers::rows(), results::rows()];
    let functions = themes.into_iter().flatten().collect();
    Library { name: "ailang".to_owned(), functions, ..Library::default() }
}

/// Returns the rows, with the functions of libraries that programs call as methods.
pub(super) fn with(libraries: &[Library]) -> Result<Registry, String> {
    let mut registry = REGISTRY.clone();
    for library in libraries {
        registry = registry.with(library.clone()).map_err(|error| error.to_string())?;
    }
    Ok(registry)
}

/// Returns the signature and the summary of each method and function that documents have beside those of libraries.
/// The name of a method starts with the class of its receiver: `Text.replace`.
pub fn document_rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = REGISTRY.functions().chain(super::built_in::REGISTRY.functions());
    rows.map(|(_, _, row)| (row.signature.as_str(), row.summary.as_str()))
}

/// Returns the name of the row of a method: that of the class of its receiver, that of all values, or a shared function.
pub(super) fn method_of(caller: &Caller, receiver: &Value, name: &str) -> Option<String> {
    let own = class(receiver).into_iter().chain([ANY]).map(|class| format!("{class}.{name}"));
    own.chain([name.to_owned()]).find(|name| caller.knows(name))
}

/// Returns the row of a method that looks at a `Result` or an `Option` itself, and not at its value.
pub(super) fn of_any(caller: &Caller, name: &str) -> Option<String> {
    Some(format!("{ANY}.{name}")).filter(|name| caller.knows(name))
}

fn class(value: &Value) -> Option<&'static str> {
    match value {
        Value::List(_) => Some("List"),
        Value::Text(_) => Some("Text"),
        Value::Object(_) | Value::Record(_) => Some("Object"),
        _ => None,
    }
}

/// Makes the row of a function that computes from its arguments alone.
fn pure(
    signature: &str,
    summary: &str,
    code: impl Fn(&Invocation) -> Result<Value, Failure> + Send + Sync + 'static,
) -> Function {
    let code = move |invocation: Invocation| ready(code(&invocation).map_err(Interrupt::from));
    Function::new(signature, summary, code).effect(Effect::Pure)
}

/// Returns a range of `slice(start, end)`. Negative numbers count from the end.
fn range(invocation: &Invocation, length: usize) -> Result<std::ops::Range<usize>, Failure> {
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
fn whole(invocation: &Invocation, parameter: &str) -> Result<Option<i64>, Failure> {
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
