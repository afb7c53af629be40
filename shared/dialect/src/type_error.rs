//! Type errors: the parts of a value that keep it from being of a type.

use crate::{Refinement, Type};

/// A part of a value that is not what it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeError {
    /// The part, as a JSON Pointer (RFC 6901): `/items/0/name`; empty for the whole value.
    pub pointer: String,
    /// The way in which the part is wrong.
    pub kind: TypeErrorKind,
}

/// The way in which a part of a value is not what it should be.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeErrorKind {
    /// The part has another type.
    Type {
        /// The type that is wanted.
        expected: Type,
        /// The type of the part.
        found: String,
    },
    /// The part breaks a rule.
    Rule {
        /// The rule.
        refinement: Refinement,
        /// The part, as a program writes it.
        value: String,
    },
    /// The part is missing.
    Missing {
        /// The type that is wanted.
        expected: Type,
    },
}
