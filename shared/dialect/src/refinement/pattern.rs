//! Patterns that check texts.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use regex::Regex;

use super::ecma::{PatternSyntax, example, normal_form, without_needless_escapes, written_out};
pub use super::portable::PatternError;
use super::portable::translate;

/// A pattern that checks texts. Two are equal if they are written the same.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(super) written: Arc<str>,
    pub(crate) regex: Arc<Regex>,
}

impl Pattern {
    /// Reads a pattern, written between slashes, and its flags: `i` and `u`.
    ///
    /// The syntax is the common subset of ECMA's and other languages' patterns, with the same meaning.
    /// Classes are of ASCII, `$` is the end of the text alone, and `.` is any character of one line.
    ///
    /// # Errors
    /// If it is not a pattern, or means something else elsewhere.
    pub fn parse(pattern: &str, flags: &str) -> Result<Self, PatternError> {
        if let Some(flag) = flags.chars().find(|flag| !matches!(flag, 'i' | 'u')) {
            return Err(PatternError::NotPortable(format!("the flag `{flag}` does not exist everywhere")));
        }
        let regex = Arc::new(translate(pattern, flags)?);
        Ok(Self { written: format!("/{pattern}/{flags}").into(), regex })
    }

    /// Returns the pattern without flags, in ECMA's syntax with the flag `u`, as JSON Schema has patterns.
    pub fn ecma(&self) -> String {
        let (pattern, flags) = self.written.rsplit_once('/').expect("it is written between slashes");
        if flags.contains('i') {
            self.written_out(PatternSyntax::Ecma)
        } else {
            without_needless_escapes(&pattern[1..])
        }
    }

    /// Returns the pattern without flags in the syntax of another language, with classes as ranges.
    pub fn written_out(&self, syntax: PatternSyntax) -> String {
        written_out(self.regex.as_str(), syntax)
    }

    /// Returns the pattern in the syntax of the crate `regex`.
    pub fn rust(&self) -> &str {
        self.regex.as_str()
    }

    /// Returns `true` if both patterns are the same apart from their spelling: names of groups, classes, escapes.
    ///
    /// Patterns that match the same texts in other ways are not recognized.
    pub fn is_same(&self, other: &Self) -> bool {
        normal_form(self.regex.as_str()) == normal_form(other.regex.as_str())
    }

    /// Returns a short text that matches if the pattern has no `\b`.
    pub fn example(&self) -> String {
        example(self.regex.as_str())
    }
}

/// Writes it as it was read, between slashes.
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

/// Returns the offset of the slash that closes a pattern, on its line.
pub(crate) fn pattern_length(rest: &str) -> Option<usize> {
    let (mut escaped, mut in_class) = (false, false);
    for (at, char) in rest.char_indices() {
        match char {
            '\n' | '\r' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_the_same_in_other_spellings() {
        let is_same = |one: &str, other: &str| {
            let parsed = |text| Pattern::parse(text, "").expect("it is portable");
            parsed(one).is_same(&parsed(other))
        };
        for (one, other) in [
            (r"^\d{3}$", "^[0-9][0-9][0-9]$"),
            ("^(?<year>a+?)b$", "^(?:a+)b$"),
            (r"[\-a]", "[a-]"),
            ("^(a|b)$", "^[ab]$"),
        ] {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [("^a", "a"), ("a{2}", "a{3}"), ("a|b", "a"), ("a*", "a+")] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}
