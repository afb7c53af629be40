//! Why there is no value. Each names the element or argument that is to blame; the words are in the document.

use dialect::{Failure, FailureKind, Limit, Value, show};

/// The names of the errors, as the document declares them.
pub(crate) mod name {
    /// An element of a list is not what the function takes.
    pub(crate) const WRONG_ELEMENT: &str = "WrongElement";
    /// What the function that was given made of an element is not what is wanted.
    pub(crate) const WRONG_RESULT: &str = "WrongResult";
    /// An argument is not what the function takes.
    pub(crate) const WRONG_ARGUMENT: &str = "WrongArgument";
    /// There is nothing to replace.
    pub(crate) const EMPTY_PART: &str = "EmptyPart";
    /// A text is no regular expression.
    pub(crate) const WRONG_PATTERN: &str = "WrongPattern";
    /// Two different keys would be the same.
    pub(crate) const SAME_KEY: &str = "SameKey";
    /// There is nothing to start with.
    pub(crate) const EMPTY_LIST: &str = "EmptyList";
}

/// So much of a value is shown.
const LONGEST: usize = 40;

/// `wanted` says what the function takes: `numbers`.
pub(crate) fn wrong_element(function: &str, wanted: &str, index: usize, found: &Value) -> Failure {
    Failure::thrown(name::WRONG_ELEMENT, at_element(function, wanted, index, found)).argument("list")
}

/// What the function that was given made of an element; `wanted` says what it should: `numbers`.
pub(crate) fn wrong_result(function: &str, wanted: &str, index: usize, found: &Value) -> Failure {
    Failure::thrown(name::WRONG_RESULT, at_element(function, wanted, index, found)).argument("f")
}

fn at_element<'name>(function: &str, wanted: &str, index: usize, found: &Value) -> [(&'name str, Value); 4] {
    let (index, found) = (index.into(), shown(found).into());
    [("function", function.into()), ("wanted", wanted.into()), ("index", index), ("found", found)]
}

/// `wanted` says what the parameter takes: `a list or a string`.
pub(crate) fn wrong_argument(function: &str, parameter: &str, wanted: &str, found: &Value) -> Failure {
    wrong(function, parameter, wanted, &a(found.type_name()))
}

/// The same where not the type of what was found is wrong, but it: `1.5`.
pub(crate) fn wrong(function: &str, parameter: &str, wanted: &str, found: &str) -> Failure {
    let values = [("parameter", parameter), ("function", function), ("wanted", wanted), ("found", found)];
    Failure::thrown(name::WRONG_ARGUMENT, values.map(|(name, value)| (name, value.into())))
        .argument(parameter)
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
