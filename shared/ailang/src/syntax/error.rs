//! Errors of tools, with advice for recovery.

use dialect::ast::Expression;

use super::{Name, Parameters};

/// An error: `error Declined(reason: string) { message = "Declined: ${reason}", recovery = "Ask for another
/// card." }`.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorDefinition {
    /// The parameters; `None` without parentheses.
    pub parameters: Option<Parameters>,
    /// The properties between the braces.
    pub properties: Vec<ErrorProperty>,
}

/// A property of an error: `message = "Declined: ${reason}"`.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorProperty {
    /// The name: `message`, `recovery`, `retryable`, `retryAfter`, `userMessage`, `maxRetries`.
    pub name: Name,
    /// The value behind `=`.
    pub value: Expression,
}

impl ErrorDefinition {
    /// Returns the property of that name.
    pub fn property(&self, name: &str) -> Option<&ErrorProperty> {
        self.properties.iter().find(|property| property.name.text == name)
    }
}
