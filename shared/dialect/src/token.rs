//! The smallest parts of a program, and of code of documents.

use serde_json::Number;
use source_text::Span;

/// A part and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Empty for a bracket that is missing, and was added.
    pub span: Span,
    /// Whether it is the first of its line.
    pub starts_line: bool,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TokenKind {
    /// `findReferences`, `true`
    Name,
    /// `3`
    Number(Number),
    /// `` `User` ``, `"User"`, `'User'`: what it says
    Text(String),
    /// `(`, `==`, `...`; in code of documents also the `${` of a template
    Mark(&'static str),
    /// `/^[a-z]+$/i`; in code of documents only
    Pattern {
        /// What stands between the slashes, escapes as they are written.
        pattern: String,
        /// The letters behind it.
        flags: String,
    },
    /// The quote that opens a text with `${…}` in it; in code of documents only
    TemplateStart,
    /// What such a text says before, between or behind them.
    TemplateText(String),
    /// The quote that closes it.
    TemplateEnd,
    /// What no program holds; a failure tells of it.
    Strange,
    /// The end.
    End,
}

/// Every punctuation mark of programs, a longer one before each that it starts with.
pub(crate) const MARKS: &[&str] = &[
    "...", "===", "!==", "?.", "??", "=>", "==", "!=", "<=", ">=", "<>", "&&", "||", "::", "->", "(", ")",
    "[", "]", "{", "}", ",", ":", ";", ".", "?", "=", "!", "<", ">", "+", "-", "*", "/", "%", "|", "&", "^",
    "~", "@", "#",
];

/// The same for code of documents.
pub(crate) const DOCUMENT_MARKS: &[&str] = &[
    "...", "===", "!==", "?.", "??", "=>", "==", "!=", "<=", ">=", "+=", "-=", "&&", "||", "->", "(", ")",
    "[", "]", "{", "}", ",", ":", ";", ".", "?", "=", "!", "<", ">", "+", "-", "*", "/", "%", "|", "&",
];

impl Token {
    /// Whether it is a word.
    pub fn is_name(&self) -> bool {
        matches!(self.kind, TokenKind::Name)
    }

    /// Whether an expression can start with it.
    pub(crate) fn starts_operand(&self) -> bool {
        !self.starts_line && self.starts_operand_anywhere()
    }

    /// The same, also on a new line.
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

    /// Whether it is this punctuation mark.
    pub fn is_mark(&self, mark: &str) -> bool {
        matches!(self.kind, TokenKind::Mark(found) if found == mark)
    }
}
