//! Comments: the text between tokens.

use dialect::code::Token;
use source_text::Span;

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    /// The whole comment, without the line break.
    pub(super) span: Span,
    /// The text without comment marks.
    pub(super) text: Span,
    /// `true` if nothing precedes it on its line.
    pub(super) alone: bool,
}

/// Returns the comments of a stretch of code.
pub(super) fn comments(source: &str, stretch: Span, tokens: &[Token]) -> Vec<Comment> {
    let mut comments = Vec::new();
    let mut before = stretch.start;
    for token in tokens {
        if before < token.span.start {
            between(source, Span::new(before, token.span.start), before == stretch.start, &mut comments);
        }
        before = before.max(token.span.end);
    }
    comments
}

/// Collects the comments between two tokens; `first` is `true` before the first token.
fn between(source: &str, gap: Span, first: bool, comments: &mut Vec<Comment>) {
    let mut at = gap.start;
    let mut alone = first;
    while let Some(length) = source[at..gap.end].find('/') {
        let start = at + length;
        alone |= source[at..start].contains(['\n', '\r']);
        let rest = &source[start..gap.end];
        let is_line = rest.starts_with("//");
        let length = match is_line {
            true => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            false => rest.find("*/").map_or(rest.len(), |length| length + 2),
        };
        let span = Span::new(start, start + length);
        let closed = !is_line && rest[..length].ends_with("*/") && length >= 4;
        let text_start = (start + 2).min(span.end);
        let text = Span::new(text_start, (span.end - if closed { 2 } else { 0 }).max(text_start));
        comments.push(Comment { span, text, alone });
        at = span.end;
        alone = false;
    }
}
