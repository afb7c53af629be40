//! What is wrong with a value.

use std::fmt;

use serde_json::Value;

use crate::trust::plain;

/// So many problems of one value are told at most.
pub const MOST_PROBLEMS: usize = 20;

/// So many characters of a value are shown at most.
const SHOWN: usize = 80;

/// Something that is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, as a JSON Pointer: `/items/0/name`; empty for the whole of it.
    pub pointer: String,
    /// Which rule does not hold: `type`, `required`, `unknownField`, `ambiguous`, `depth`, or the name of a refinement.
    pub rule: String,
    /// What is wanted and what is there, in a sentence.
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

    /// The same of the part of a value.
    #[must_use]
    pub(super) fn inside(mut self, step: &str) -> Self {
        let step = step.replace('~', "~0").replace('/', "~1");
        self.pointer = format!("/{step}{}", self.pointer);
        self
    }
}

/// As JSON, as far as it is short.
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
