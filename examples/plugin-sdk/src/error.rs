//! The error of a call.

use plugin_protocol::envelope::ErrorObject;
use serde_json::{Value, json, value::to_raw_value};

/// The error of a call: a failure with its text, or a question with the answers to choose from.
///
/// Every error type becomes a failure with `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
    alternatives: Vec<(String, Value)>,
}

impl Error {
    /// Creates a failure. The text is for the author of the program: it names the place and the remedy.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), alternatives: Vec::new() }
    }

    /// Creates a question with the values to choose from, each with its description. The asker writes one of these
    /// values in place of the call.
    pub fn ambiguous<D: Into<String>>(
        question: impl Into<String>,
        alternatives: impl IntoIterator<Item = (D, Value)>,
    ) -> Self {
        let alternatives = alternatives.into_iter().map(|(description, value)| (description.into(), value));
        Self { message: question.into(), alternatives: alternatives.collect() }
    }

    /// Returns the text.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the error on the wire. Hosts that know no questions show the text, which lists the answers too.
    pub(crate) fn to_wire(&self) -> ErrorObject {
        if self.alternatives.is_empty() {
            return ErrorObject::new(self.message.clone());
        }
        let each = self.alternatives.iter();
        let listed: Vec<_> =
            each.clone().map(|(description, value)| format!("{description}: {value}")).collect();
        let each: Vec<_> =
            each.map(|(description, value)| json!({"description": description, "value": value})).collect();
        let data = json!({"dialect": {"outcome": "ambiguous", "alternatives": each}});
        let mut error = ErrorObject::new(format!("{} Choose one of: {}", self.message, listed.join("; ")));
        error.data = to_raw_value(&data).ok();
        error
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}
