//! Patterns for lines and whole words, compiled as ripgrep does.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// Compiles a pattern to be matched line by line; `$` matches before CRLF.
pub(crate) fn matcher(pattern: &str) -> Result<RegexMatcher, grep_regex::Error> {
    RegexMatcherBuilder::new().multi_line(true).crlf(true).build(pattern)
}

/// Compiles a word to be matched whole, whatever characters it is made of.
pub(crate) fn whole_word(word: &str) -> Result<RegexMatcher, grep_regex::Error> {
    RegexMatcherBuilder::new().multi_line(true).crlf(true).word(true).build(&regex::escape(word))
}
