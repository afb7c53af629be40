//! The smallest parts of a program.

use serde_json::Number;
use source_text::Span;

/// A part and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// `findReferences`, `true`
    Name,
    /// `3`
    Number(Number),
    /// `` `User` ``, `"User"`, `'User'`: what it says
    Text(String),
    /// `(`, `==`, `...`
    Mark(&'static str),
    /// The end of the program.
    End,
}

/// Every punctuation mark, a longer one before each that it starts with.
pub(crate) const MARKS: &[&str] = &[
    "...", "===", "!==", "?.", "??", "=>", "==", "!=", "<=", ">=", "&&", "||", "::", "->", "(", ")", "[",
    "]", "{", "}", ",", ":", ";", ".", "?", "=", "!", "<", ">", "+", "-", "*", "/", "%", "|", "&", "^", "~",
    "@", "#",
];
