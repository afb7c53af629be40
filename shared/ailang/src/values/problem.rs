//! Mismatches between values and types.

use std::fmt;

use serde_json::Value;

use crate::trust::plain;

/// The maximum number of problems that are reported for one value.
pub const MOST_PROBLEMS: usize = 20;

/// The maximum length of a value in a message, in characters.
const SHOWN: usize = 80;

/// A mismatch between a value and a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place as a JSON Pointer (RFC 6901), such as `/items/0/name`; empty for the whole value.
    pub pointer: String,
    /// The violated rule: `type`, `required`, `unknownField`, `ambiguous`, `depth`, or the name of a
    /// refinement.
    pub rule: String,
    /// The expectation and the value, in a sentence.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => f.write_str(&self.message),
            pointer => write!(f, "{pointer}: {}", self.message),
        }
    }
}

impl Problem {
    pub(crate) fn new(rule: &str, wanted: impl fmt::Display, found: &Value) -> Self {
        let message = format!("expected {wanted}, got {}", shown(found));
        Self { pointer: String::new(), rule: rule.to_owned(), message }
    }

    /// Moves the problem to a part of the value.
    #[must_use]
    pub(super) fn inside(mut self, step: &str) -> Self {
        let step = step.replace('~', "~0").replace('/', "~1");
        self.pointer = format!("/{step}{}", self.pointer);
        self
    }
}

/// Prints a short value as JSON, and summarizes a long one.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(fields) => {
            let keys: Vec<&str> = fields.keys().take(8).map(String::as_str).collect();
            plain(&format!("an object with the fields {}", Value::from(keys)), SHOWN)
        }
        Value::String(text) if text.len() > 4 * SHOWN => {
            shown(&text.chars().take(SHOWN).collect::<String>().into())
        }
        value => plain(&value.to_string(), SHOWN),
    }
}
