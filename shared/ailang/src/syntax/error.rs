//! Errors: what is said when a tool fails, and how to recover.

use dialect::ast::Expression;

use super::{Name, Parameters};

/// `error Declined(reason: string) { message = "Declined: ${reason}", recovery = "Ask for another card." }`
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorDefinition {
    /// What it carries; `None` without parentheses.
    pub parameters: Option<Parameters>,
    /// What stands between the braces.
    pub properties: Vec<ErrorProperty>,
}

/// `message = "Declined: ${reason}"`
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorProperty {
    /// `message`, `recovery`, `retryable`, `retryAfter`, `userMessage`, `maxRetries`
    pub name: Name,
    /// What stands behind the `=`.
    pub value: Expression,
}

impl ErrorDefinition {
    /// The property of that name.
    pub fn property(&self, name: &str) -> Option<&ErrorProperty> {
        self.properties.iter().find(|property| property.name.text == name)
    }
}
