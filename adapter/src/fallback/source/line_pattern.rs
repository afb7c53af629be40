//! Compiles patterns for lines and whole words as ripgrep does.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// Compiles a pattern that is matched line by line; `$` matches before CRLF.
pub(crate) fn matcher(pattern: &str) -> Result<RegexMatcher, grep_regex::Error> {
    RegexMatcherBuilder::new().multi_line(true).crlf(true).build(pattern)
}

/// Compiles a word that is matched whole, whatever its characters are.
pub(crate) fn whole_word(word: &str) -> Result<RegexMatcher, grep_regex::Error> {
    RegexMatcherBuilder::new().multi_line(true).crlf(true).word(true).build(&regex::escape(word))
}
