//! Why there is no value. Each names the element or argument that is to blame.

use dialect::{Failure, FailureKind, Limit, Value, show};

/// The names of the kinds.
pub(crate) mod name {
    /// An element of a list is not what the function takes.
    pub(crate) const WRONG_ELEMENT: &str = "wrongElement";
    /// An argument is not what the function takes.
    pub(crate) const WRONG_ARGUMENT: &str = "wrongArgument";
    /// A text is no regular expression.
    pub(crate) const WRONG_PATTERN: &str = "wrongPattern";
    /// Two different keys would be the same.
    pub(crate) const SAME_KEY: &str = "sameKey";
    /// There is nothing to start with.
    pub(crate) const EMPTY_LIST: &str = "emptyList";
}

/// So much of a value is shown.
const LONGEST: usize = 40;

/// `wanted` says what the function takes: `numbers`.
pub(crate) fn wrong_element(function: &str, wanted: &str, index: usize, found: &Value) -> Failure {
    let message = format!("`{function}` takes {wanted}, and element {index} is {}", shown(found));
    Failure::raised(name::WRONG_ELEMENT, message).argument("list")
}

/// What the function that was given made of an element; `wanted` says what it should: `numbers`.
pub(crate) fn wrong_result(function: &str, wanted: &str, index: usize, found: &Value) -> Failure {
    let message =
        format!("`f` of `{function}` should give {wanted}, and gave {} for element {index}", shown(found));
    Failure::raised(name::WRONG_ELEMENT, message).argument("f")
}

/// `wanted` says what the parameter takes: `a list or a string`.
pub(crate) fn wrong_argument(function: &str, parameter: &str, wanted: &str, found: &Value) -> Failure {
    let message = format!("`{parameter}` of `{function}` takes {wanted}, not {}", a(found.type_name()));
    Failure::raised(name::WRONG_ARGUMENT, message).argument(parameter)
}

/// More than the limits of the run allow.
pub(crate) fn too_big(limit: Limit, at_most: usize) -> Failure {
    FailureKind::LimitReached { limit, at_most }.into()
}

/// A value in a sentence: its type, and as much of it as fits.
pub(crate) fn shown(value: &Value) -> String {
    let name = a(value.type_name());
    if matches!(value, Value::Null | Value::Function(_)) {
        return name;
    }
    let text = show(value);
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{name}: {shown}")
}

fn a(type_name: &str) -> String {
    match type_name {
        "null" => "null".to_owned(),
        name if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
        name => format!("a {name}"),
    }
}
