//! Tokens of programs, and of code in documents.

use serde_json::Number;
use source_text::Span;

/// A token and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// The kind, with the token's value.
    pub kind: TokenKind,
    /// The place. It is empty for a missing bracket that was added.
    pub span: Span,
    /// `true` if it is the first of its line.
    pub starts_line: bool,
}

/// The form of a token, with its decoded content.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TokenKind {
    /// `findReferences`, `true`
    Name,
    /// `3`
    Number(Number),
    /// `` `User` ``, `"User"`, `'User'`: the text without quotes and escapes
    Text(String),
    /// `(`, `==`, `...`; in code of documents also the `${` of a template
    Mark(&'static str),
    /// `/^[a-z]+$/i`; in code of documents only
    Pattern {
        /// The text between the slashes, escapes as they are written.
        pattern: String,
        /// The letters behind it.
        flags: String,
    },
    /// The quote that opens a text with `${…}` in it; in code of documents only
    TemplateStart,
    /// The text of a template before, between or behind its expressions.
    TemplateText(String),
    /// The quote that closes the text with `${…}` in it.
    TemplateEnd,
    /// A character that starts no token; a failure reports it.
    Strange,
    /// The end of the text, behind all other tokens.
    End,
}

/// Every punctuation mark of programs, a longer one before each that it starts with.
pub(crate) const MARKS: &[&str] = &[
    "...", "===", "!==", "?.", "??", "=>", "==", "!=", "<=", ">=", "<>", "&&", "||", "::", "->", "(", ")",
    "[", "]", "{", "}", ",", ":", ";", ".", "?", "=", "!", "<", ">", "+", "-", "*", "/", "%", "|", "&", "^",
    "~", "@", "#",
];

/// The punctuation marks of code in documents, a longer one before each that it starts with.
pub(crate) const DOCUMENT_MARKS: &[&str] = &[
    "...", "===", "!==", "?.", "??", "=>", "==", "!=", "<=", ">=", "+=", "-=", "&&", "||", "->", "(", ")",
    "[", "]", "{", "}", ",", ":", ";", ".", "?", "=", "!", "<", ">", "+", "-", "*", "/", "%", "|", "&",
];

impl Token {
    /// Returns `true` if it is a word.
    pub fn is_name(&self) -> bool {
        matches!(self.kind, TokenKind::Name)
    }

    /// Returns `true` if an expression can start with it, on the same line.
    pub(crate) fn starts_operand(&self) -> bool {
        !self.starts_line && self.starts_operand_anywhere()
    }

    /// Returns `true` if an expression can start with it, also on a new line.
    pub(crate) fn starts_operand_anywhere(&self) -> bool {
        matches!(
            self.kind,
            TokenKind::Name
                | TokenKind::Number(_)
                | TokenKind::Text(_)
                | TokenKind::Pattern { .. }
                | TokenKind::TemplateStart
                | TokenKind::Mark("(" | "[" | "{" | "!")
        )
    }

    /// Returns `true` if it is this punctuation mark.
    pub fn is_mark(&self, mark: &str) -> bool {
        matches!(self.kind, TokenKind::Mark(found) if found == mark)
    }
}
