//! Occurrences: the places where a document names something, each with what it means.

use source_text::Span;

use crate::syntax::{DefinitionKind, MemberKind};

/// A place where a document names something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Occurrence {
    /// The place of the name.
    pub span: Span,
    /// The meaning of the name.
    pub target: SymbolId,
    /// `true` where the name stands for another one: an import with `as`, and what uses it.
    pub is_alias: bool,
    /// `true` for `{ name }`, which is a key too.
    pub is_shorthand: bool,
}

/// The identity of a symbol: the document that defines it, and the place of its name there.
///
/// It is valid for the [`Analysis`](crate::Analysis) that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId {
    /// The index of the document; that behind the last is the prelude.
    pub(crate) home: usize,
    /// The place of the name in the definition.
    pub span: Span,
    /// The kind of symbol.
    pub kind: OccurrenceKind,
}

/// A kind of symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OccurrenceKind {
    /// A type.
    Type,
    /// An enum.
    Enum,
    /// A capability.
    Capability,
    /// An error.
    Error,
    /// A tool.
    Tool,
    /// An imported document.
    Module,
    /// A parameter of a type.
    TypeParameter,
    /// A variant of an enum or a union.
    Variant,
    /// A field of a struct.
    Field,
    /// A method of a struct.
    Method,
    /// A parameter of a tool, an error, a capability or a function.
    Parameter,
    /// A variable of a program.
    Variable,
}

impl OccurrenceKind {
    /// Returns the kind of a definition.
    pub(crate) fn of(kind: &DefinitionKind) -> Self {
        match kind {
            DefinitionKind::Type(_) => Self::Type,
            DefinitionKind::Enum(_) => Self::Enum,
            DefinitionKind::Capability(_) => Self::Capability,
            DefinitionKind::Error(_) => Self::Error,
            DefinitionKind::Tool(_) => Self::Tool,
        }
    }

    /// Returns the kind of a member of a struct.
    pub(crate) fn of_member(kind: &MemberKind) -> Self {
        match kind {
            MemberKind::Field { .. } => Self::Field,
            MemberKind::Method { .. } => Self::Method,
        }
    }

    /// Returns `true` for a symbol that no other document can name.
    pub(crate) fn is_local(self) -> bool {
        matches!(self, Self::Module | Self::TypeParameter | Self::Variable)
    }

    /// Returns `true` for a member of values.
    pub(crate) fn is_member(self) -> bool {
        matches!(self, Self::Field | Self::Method)
    }

    /// Returns the noun for people: `type parameter`.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Enum => "enum",
            Self::Capability => "capability",
            Self::Error => "error",
            Self::Tool => "tool",
            Self::Module => "module",
            Self::TypeParameter => "type parameter",
            Self::Variant => "variant",
            Self::Field => "field",
            Self::Method => "method",
            Self::Parameter => "parameter",
            Self::Variable => "variable",
        }
    }
}
