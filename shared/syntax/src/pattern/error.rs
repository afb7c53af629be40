//! Errors of patterns.

use std::fmt;

/// The reason why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// The pattern consists of holes only, and would match everything.
    SaysNothing,
    /// The pattern is too long, too deep, or takes too long to parse.
    TooLarge,
    /// The pattern is no code of the language.
    NoCode {
        /// The byte offset of the error, from 0.
        at: usize,
    },
    /// A hole is only a part of a name or a string.
    PartOfText {
        /// The hole as written.
        hole: String,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SaysNothing => f.write_str("it says nothing, so everything matches it"),
            Self::TooLarge => f.write_str("it is larger than code that people write"),
            Self::NoCode { .. } => f.write_str("it is no code"),
            Self::PartOfText { hole } => {
                write!(f, "`{hole}` is a part of a name or a text, and has to stand for all of it")
            }
        }
    }
}

impl std::error::Error for PatternError {}
