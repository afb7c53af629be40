//! The methods and functions that documents know beside the tools: rows with signatures.
//!
//! Methods are those of the libraries, which programs of Dialect call as well: `xs.map(f)` is `map(xs, f)`. The rows here
//! are what documents have beside them. Each says what TypeScript means by it where Dialect has another meaning, or none.
//! The name of a method's row starts with the class of its receiver: `Text.replace`.

mod lists;
mod numbers;
mod objects;
mod results;
mod row;
mod texts;

use std::sync::LazyLock;

use dialect::{Caller, Library, Registry, Value};

pub(super) use self::lists::Change;
pub(super) use self::numbers::value as number;

/// The class of the methods that every value has.
const ANY: &str = "Any";

/// The rows, in a registry of their own.
pub(super) static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| Registry::new([library()]).expect("the signatures are right, as tests show"));

fn library() -> Library {
    let themes = [lists::rows(), texts::rows(), objects::rows(), numbers::rows(), results::rows()];
    let functions = themes.into_iter().flatten().collect();
    Library { name: "ailang".to_owned(), functions, ..Library::default() }
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
