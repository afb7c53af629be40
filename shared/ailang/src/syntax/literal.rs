//! Values that stand for themselves: defaults, bounds, the options of a choice.

use source_text::Span;

use super::{Name, Path};

/// A literal and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// What it is.
    pub kind: LiteralKind,
    /// Where it stands.
    pub span: Span,
}

/// What a literal is.
#[derive(Clone, Debug, PartialEq)]
pub enum LiteralKind {
    /// `null`
    Null,
    /// `true`
    Bool(bool),
    /// `-0.5`
    Number(f64),
    /// `"low"`: what it says, without escapes
    Text(String),
    /// `/^[a-z]+$/i`
    Regex {
        /// What stands between the slashes.
        pattern: String,
        /// What stands behind them.
        flags: String,
    },
    /// `Standard`: a variant
    Name(Path),
    /// `["*.example.org"]`
    List(Vec<Literal>),
    /// `{ host: "localhost" }`
    Object(Vec<(Name, Literal)>),
    /// What could not be read; reported.
    Broken,
}
