//! Groups of operations that share their messages and differ in the direction they lead.

use crate::operation::Operation;

/// An operation with the messages of `definitions`, about one symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Navigation {
    /// To the symbol's declarations, apart from its definition.
    Declarations,
    /// To the definitions of the symbol's type.
    TypeDefinitions,
    /// To the implementations of an interface, or of one of its members.
    Implementations,
}

impl Navigation {
    /// Returns the operation on the wire.
    pub fn operation(self) -> Operation {
        match self {
            Self::Declarations => Operation::Declarations,
            Self::TypeDefinitions => Operation::TypeDefinitions,
            Self::Implementations => Operation::Implementations,
        }
    }
}

/// A direction through the call graph or the type hierarchy: the operations that share their messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hierarchy {
    /// To the functions that call one.
    Callers,
    /// To the functions that one calls.
    Callees,
    /// To the types that one extends or implements.
    Supertypes,
    /// To the types that extend or implement one.
    Subtypes,
}

impl Hierarchy {
    /// Returns the operation on the wire.
    pub fn operation(self) -> Operation {
        match self {
            Self::Callers => Operation::Callers,
            Self::Callees => Operation::Callees,
            Self::Supertypes => Operation::Supertypes,
            Self::Subtypes => Operation::Subtypes,
        }
    }

    /// Returns true if it follows links backward, from `to` to `from`: to callers and subtypes.
    pub fn is_upstream(self) -> bool {
        matches!(self, Self::Callers | Self::Subtypes)
    }
}
