//! Definitions of any kind.

use source_text::Span;

use super::{Capability, Documentation, Enum, ErrorDefinition, Name, Tool, TypeDefinition};

/// A definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The name.
    pub name: Name,
    /// The kind and its content.
    pub kind: DefinitionKind,
    /// The comments above it.
    pub documentation: Documentation,
    /// The place from the keyword to the end.
    pub span: Span,
}

impl Definition {
    /// Returns `true` for an enum and for a type without type parameters.
    pub fn is_plain_type(&self) -> bool {
        match &self.kind {
            DefinitionKind::Type(it) => it.parameters.is_empty(),
            kind => matches!(kind, DefinitionKind::Enum(_)),
        }
    }
}

/// The kinds of definitions.
#[derive(Clone, Debug, PartialEq)]
pub enum DefinitionKind {
    /// `type Email = string.email()`
    Type(TypeDefinition),
    /// `enum Level { Low, High }`
    Enum(Enum),
    /// `capability Pay { ask = "Allow a payment" }`
    Capability(Capability),
    /// `error Declined(reason: string) { message = "Declined: ${reason}" }`
    Error(ErrorDefinition),
    /// `tool search(query: string) -> List<string>`
    Tool(Tool),
}

impl DefinitionKind {
    /// Returns the keyword of the definition.
    pub fn keyword(&self) -> &'static str {
        match self {
            Self::Type(_) => "type",
            Self::Enum(_) => "enum",
            Self::Capability(_) => "capability",
            Self::Error(_) => "error",
            Self::Tool(_) => "tool",
        }
    }
}
