//! Why a text is no pattern.

use std::fmt;

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// There is nothing but holes, which everything matches.
    SaysNothing,
    /// It is longer, deeper or harder to read than code that people write.
    TooLarge,
    /// It is no code of the language.
    NoCode {
        /// Where reading it went wrong, in bytes from 0.
        at: usize,
    },
    /// A hole stands inside a name or a text, of which it is only a part.
    PartOfText {
        /// The hole as it is written.
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
