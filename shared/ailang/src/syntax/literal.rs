//! Literals: defaults, bounds, the options of a choice.

use source_text::Span;

use super::{Name, Path};

/// A literal with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The kind and its value.
    pub kind: LiteralKind,
    /// The place.
    pub span: Span,
}

/// The kinds of literals.
#[derive(Clone, Debug, PartialEq)]
pub enum LiteralKind {
    /// `null`
    Null,
    /// `true`
    Bool(bool),
    /// `-0.5`
    Number(f64),
    /// `"low"`, without quotes and escapes
    Text(String),
    /// `/^[a-z]+$/i`
    Regex {
        /// The text between the slashes.
        pattern: String,
        /// The letters behind the slashes.
        flags: String,
    },
    /// `Standard`: a variant
    Name(Path),
    /// `["*.example.org"]`
    List(Vec<Literal>),
    /// `{ host: "localhost" }`
    Object(Vec<(Name, Literal)>),
    /// A reported syntax error.
    Broken,
}
