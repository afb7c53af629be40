//! Words between two nodes of the tree, which has no places for modifiers.

use std::ops::Range;

/// A word or a mark between nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece<'s> {
    pub(crate) text: &'s str,
    pub(crate) range: Range<usize>,
}

/// Returns the words and the single marks of a stretch, without comments and blanks.
pub(crate) fn pieces(source: &str, range: Range<usize>) -> Vec<Piece<'_>> {
    let (mut found, mut at) = (Vec::new(), range.start);
    while at < range.end {
        let rest = &source[at..range.end];
        if let Some(comment) = comment(rest) {
            at += comment;
            continue;
        }
        let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$');
        let word = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = if word > 0 { word } else { first };
        if !rest.starts_with(char::is_whitespace) {
            found.push(Piece { text: &rest[..length], range: at..at + length });
        }
        at += length;
    }
    found
}

/// Returns the length of the comment at the start of a text, if there is one.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(text.len()));
    }
    let inside = text.strip_prefix("/*")?;
    Some(inside.find("*/").map_or(text.len(), |it| it + 4))
}

/// Returns the place of the next character that is no blank and no comment.
pub(crate) fn next(source: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &source[at..];
        let blanks = rest.len() - rest.trim_start().len();
        match comment(&rest[blanks..]) {
            Some(comment) => at += blanks + comment,
            None => return (blanks < rest.len()).then_some(at + blanks),
        }
    }
}
