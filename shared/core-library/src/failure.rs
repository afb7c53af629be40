//! Failures, which name the element or argument at fault. `interface/core.md` has their text.

use dialect::{Failure, FailureKind, Limit, Value, show_start};
use source_text::shorten;

/// The names of the errors that the document declares.
pub(crate) mod name {
    /// An element of a list has the wrong type.
    pub(crate) const WRONG_ELEMENT: &str = "WrongElement";
    /// A given function returned a wrong value for an element.
    pub(crate) const WRONG_RESULT: &str = "WrongResult";
    /// An argument has the wrong type.
    pub(crate) const WRONG_ARGUMENT: &str = "WrongArgument";
    /// The text to replace is empty.
    pub(crate) const EMPTY_PART: &str = "EmptyPart";
    /// A text is no regular expression.
    pub(crate) const WRONG_PATTERN: &str = "WrongPattern";
    /// Two different keys would become equal.
    pub(crate) const SAME_KEY: &str = "SameKey";
    /// The list is empty and there is no initial value.
    pub(crate) const EMPTY_LIST: &str = "EmptyList";
}

/// The maximum length of a shown value, in characters.
const LONGEST: usize = 40;

/// Creates a failure for an element; `wanted` names the expected type: `numbers`.
pub(crate) fn wrong_element(function: &str, wanted: &str, index: usize, found: &Value) -> Failure {
    Failure::thrown(name::WRONG_ELEMENT, at_element(function, wanted, index, found)).argument("list")
}

/// Creates a failure for the result of a given function; `wanted` names the expected type: `numbers`.
pub(crate) fn wrong_result(function: &str, wanted: &str, index: usize, found: &Value) -> Failure {
    Failure::thrown(name::WRONG_RESULT, at_element(function, wanted, index, found)).argument("f")
}

fn at_element<'name>(function: &str, wanted: &str, index: usize, found: &Value) -> [(&'name str, Value); 4] {
    let (index, found) = (index.into(), shown(found).into());
    [("function", function.into()), ("wanted", wanted.into()), ("index", index), ("found", found)]
}

/// Creates a failure for the type of an argument; `wanted` names the expected one: `a list or a string`.
pub(crate) fn wrong_argument(function: &str, parameter: &str, wanted: &str, found: &Value) -> Failure {
    wrong(function, parameter, wanted, &with_article(found.type_name()))
}

/// Creates a failure for the value of an argument; `found` is that value: `1.5`.
pub(crate) fn wrong(function: &str, parameter: &str, wanted: &str, found: &str) -> Failure {
    let values = [("parameter", parameter), ("function", function), ("wanted", wanted), ("found", found)];
    Failure::thrown(name::WRONG_ARGUMENT, values.map(|(name, value)| (name, value.into())))
        .argument(parameter)
}

/// Creates a failure for a value beyond the limits of the run.
pub(crate) fn too_big(limit: Limit, at_most: usize) -> Failure {
    FailureKind::LimitReached { limit, at_most }.into()
}

/// Describes a value in a sentence: its type, and the start of its text.
pub(crate) fn shown(value: &Value) -> String {
    let name = with_article(value.type_name());
    if matches!(value, Value::Null | Value::Function(_)) {
        return name;
    }
    format!("{name}: {}", shorten(&show_start(value, 4 * LONGEST), LONGEST))
}

fn with_article(type_name: &str) -> String {
    match type_name {
        "null" => "null".to_owned(),
        name if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
        name => format!("a {name}"),
    }
}
