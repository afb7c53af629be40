//! The smallest parts of a program.

use serde_json::Number;
use source_text::Span;

/// A part and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Whether it is the first of its line.
    pub(crate) starts_line: bool,
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
    /// What no program holds; reported by the lexer.
    Strange,
    /// The end of the program.
    End,
}

/// Every punctuation mark, a longer one before each that it starts with.
pub(crate) const MARKS: &[&str] = &[
    "...", "===", "!==", "?.", "??", "=>", "==", "!=", "<=", ">=", "<>", "&&", "||", "::", "->", "(", ")",
    "[", "]", "{", "}", ",", ":", ";", ".", "?", "=", "!", "<", ">", "+", "-", "*", "/", "%", "|", "&", "^",
    "~", "@", "#",
];

impl Token {
    /// Whether it is a word.
    pub(crate) fn is_name(&self) -> bool {
        self.kind == TokenKind::Name
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
                | TokenKind::Mark("(" | "[" | "{" | "!")
        )
    }

    /// Whether it is this punctuation mark.
    pub(crate) fn is_mark(&self, mark: &str) -> bool {
        matches!(self.kind, TokenKind::Mark(found) if found == mark)
    }
}
