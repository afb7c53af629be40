//! Patterns as documents write them → the crate `regex`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use regex::Regex;

/// A pattern, by which texts are checked. Two are equal when they are written the same.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(super) written: Arc<str>,
    pub(super) regex: Arc<Regex>,
}

impl Pattern {
    /// A pattern that is written so, slashes and flags included, and means `regex`.
    pub fn new(written: impl Into<Arc<str>>, regex: Regex) -> Self {
        Self { written: written.into(), regex: Arc::new(regex) }
    }

    /// What stands between the slashes, and the flags behind them: `i` and `u`. Classes are of ASCII, `$` is the end
    /// of the text alone, and `.` is anything on one line; otherwise the syntax is that of the crate `regex`.
    pub(crate) fn parse(pattern: &str, flags: &str) -> Option<Self> {
        if flags.chars().any(|flag| !matches!(flag, 'i' | 'u')) {
            return None;
        }
        let ignores_case = if flags.contains('i') { "(?i)" } else { "" };
        let regex = Regex::new(&format!("{ignores_case}{}", translated(pattern))).ok()?;
        Some(Self::new(format!("/{pattern}/{flags}"), regex))
    }
}

fn translated(pattern: &str) -> String {
    let mut out = String::new();
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some(escaped) => out.push_str(&escape(escaped)),
                None => out.push('\\'),
            },
            '.' if !in_class => out.push_str("[^\\n\\r\\u{2028}\\u{2029}]"),
            _ => {
                in_class = match char {
                    '[' => true,
                    ']' => false,
                    _ => in_class,
                };
                out.push(char);
            }
        }
    }
    out
}

fn escape(escaped: char) -> String {
    match escaped {
        '/' => "/".to_owned(),
        'd' => "[0-9]".to_owned(),
        'D' => "[^0-9]".to_owned(),
        'w' => "[0-9A-Za-z_]".to_owned(),
        'W' => "[^0-9A-Za-z_]".to_owned(),
        'b' => "(?-u:\\b)".to_owned(),
        other => format!("\\{other}"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_documents_mean() {
        for (pattern, flags, text, is_found) in [
            ("^[a-z]+$", "", "abc", true),
            ("^[a-z]+$", "", "abc\n", false),
            ("^[a-z]+$", "i", "ABC", true),
            ("^\\d$", "", "٣", false),
            ("^[\\d.]$", "", ".", true),
            ("^.$", "", "\r", false),
            ("^\\\\d$", "", "\\d", true),
            ("\\bé", "", "é", false),
            ("a\\/b", "", "a/b", true),
        ] {
            let parsed = Pattern::parse(pattern, flags).expect("it is a pattern");
            assert_eq!(parsed.regex.is_match(text), is_found, "/{pattern}/{flags} in {text:?}");
        }
        assert!(Pattern::parse("(?=a)", "").is_none());
        assert!(Pattern::parse("a", "g").is_none());
    }
}
