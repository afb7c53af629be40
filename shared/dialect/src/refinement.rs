//! Refinements: rules for values beyond their form, such as `number.min(1)`, `string.regex(/^[a-z]+$/)`.

mod ecma;
pub(crate) mod format;
mod pattern;
mod portable;

use std::fmt;

use serde_json::Number;

pub use self::ecma::PatternSyntax;
pub(crate) use self::pattern::pattern_length;
pub use self::pattern::{Pattern, PatternError};
use crate::quote::quoted;

/// A rule for values beyond their form. Lengths of texts count Unicode scalar values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refinement {
    /// `.min(1)`: a number of at least that.
    Min(Number),
    /// `.max(10)`: a number of at most that.
    Max(Number),
    /// `.multipleOf(5)`: a number that is a whole multiple of that.
    MultipleOf(Number),
    /// `.integer()`: a number without a fraction, that floats can hold exactly.
    Integer,
    /// `.positive()`: a number above 0.
    Positive,
    /// `.negative()`: a number below 0.
    Negative,
    /// `.minLength(1)`: a text of at least that many characters.
    MinLength(usize),
    /// `.maxLength(80)`: a text of at most that many characters.
    MaxLength(usize),
    /// `.nonEmpty()`: a text, list or object with something in it.
    NonEmpty,
    /// `.startsWith("/")`: a text that starts with that, case and all.
    StartsWith(String),
    /// `.endsWith(".md")`: a text that ends with that, case and all.
    EndsWith(String),
    /// `.regex(/^[a-z]+$/)`: a text in which the pattern is found.
    Regex(Pattern),
    /// `.email()`: ASCII, at most 254 characters, a dot in its domain.
    Email,
    /// `.url()`: an absolute URL without blanks.
    Url,
    /// `.uuid()`: of any version.
    Uuid,
    /// `.minItems(1)`: a list or object of at least that many elements or fields.
    MinItems(usize),
    /// `.maxItems(9)`: a list or object of at most that many elements or fields.
    MaxItems(usize),
    /// `.unique()`: a list without equal elements.
    Unique,
}

/// As a type spells it.
impl fmt::Display for Refinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Min(number) => write!(f, ".min({number})"),
            Self::Max(number) => write!(f, ".max({number})"),
            Self::MultipleOf(number) => write!(f, ".multipleOf({number})"),
            Self::Integer => f.write_str(".integer()"),
            Self::Positive => f.write_str(".positive()"),
            Self::Negative => f.write_str(".negative()"),
            Self::MinLength(count) => write!(f, ".minLength({count})"),
            Self::MaxLength(count) => write!(f, ".maxLength({count})"),
            Self::NonEmpty => f.write_str(".nonEmpty()"),
            Self::StartsWith(text) => write!(f, ".startsWith({})", quoted(text)),
            Self::EndsWith(text) => write!(f, ".endsWith({})", quoted(text)),
            Self::Regex(pattern) => write!(f, ".regex({pattern})"),
            Self::Email => f.write_str(".email()"),
            Self::Url => f.write_str(".url()"),
            Self::Uuid => f.write_str(".uuid()"),
            Self::MinItems(count) => write!(f, ".minItems({count})"),
            Self::MaxItems(count) => write!(f, ".maxItems({count})"),
            Self::Unique => f.write_str(".unique()"),
        }
    }
}
