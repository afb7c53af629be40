//! Patterns by which texts are checked.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use regex::Regex;

use super::ecma::{without_needless_escapes, written_out};
pub use super::portable::PatternError;
use super::portable::translate;

/// A pattern, by which texts are checked. Two are equal when they are written the same.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(super) written: Arc<str>,
    pub(super) regex: Arc<Regex>,
}

impl Pattern {
    /// What stands between the slashes, and the flags behind them: `i` and `u`. The syntax is what ECMA's patterns
    /// have in common with those of other languages, and means what it means there: classes are of ASCII, `$` is the
    /// end of the text alone, and `.` is anything on one line.
    ///
    /// # Errors
    /// When it is no pattern, or means something else elsewhere.
    pub fn parse(pattern: &str, flags: &str) -> Result<Self, PatternError> {
        if let Some(flag) = flags.chars().find(|flag| !matches!(flag, 'i' | 'u')) {
            return Err(PatternError::NotPortable(format!("the flag `{flag}` does not exist everywhere")));
        }
        let regex = Arc::new(translate(pattern, flags)?);
        Ok(Self { written: format!("/{pattern}/{flags}").into(), regex })
    }

    /// The same without flags, as JSON Schema has patterns: ECMA's, in the mode `u`.
    pub fn ecma(&self) -> String {
        let (pattern, flags) = self.written.rsplit_once('/').expect("it is written between slashes");
        if flags.contains('i') {
            written_out(self.regex.as_str())
        } else {
            without_needless_escapes(&pattern[1..])
        }
    }
}

/// As it is written.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.written.hash(state);
    }
}
