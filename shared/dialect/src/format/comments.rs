//! The comments and line breaks between tokens.

use crate::lex::program_of;
use crate::token::Token;

/// The comments and line breaks before a token.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Gap<'source> {
    pub(super) comments: Vec<Comment<'source>>,
    /// Line breaks between the last comment, or the token before, and the token.
    pub(super) lines_after: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comment<'source> {
    /// With its marks, without blanks at its end.
    pub(super) text: &'source str,
    /// Line breaks before it.
    pub(super) lines_before: usize,
}

impl Comment<'_> {
    /// Returns `true` if it ends with its line.
    pub(super) fn is_line(&self) -> bool {
        self.text.starts_with("//")
    }
}

impl Gap<'_> {
    /// Returns `true` if the line must end behind the comment at `index`.
    pub(super) fn breaks_after(&self, index: usize) -> bool {
        let next = self.comments.get(index + 1).map_or(self.lines_after, |it| it.lines_before);
        next > 0 || self.comments[index].is_line()
    }

    /// This one, and then the other one, with nothing between.
    pub(super) fn join(mut self, other: &Self) -> Self {
        for (index, comment) in other.comments.iter().enumerate() {
            let lines = if index == 0 { self.lines_after } else { 0 };
            self.comments.push(Comment { lines_before: comment.lines_before.max(lines), ..*comment });
        }
        let lines = if other.comments.is_empty() { self.lines_after } else { 0 };
        self.lines_after = other.lines_after.max(lines);
        self
    }
}

/// Returns the gap before each token.
pub(super) fn gaps<'source>(source: &'source str, tokens: &[Token]) -> Vec<Gap<'source>> {
    let mut at = program_of(source).start;
    let mut gaps = Vec::new();
    for token in tokens {
        gaps.push(gap(&source[at..token.span.start]));
        at = token.span.end;
    }
    gaps
}

fn gap(mut text: &str) -> Gap<'_> {
    let mut gap = Gap::default();
    let mut lines = 0;
    while let Some(start) = text.find('/') {
        lines += breaks(&text[..start]);
        text = &text[start..];
        let end = match text.strip_prefix("/*") {
            Some(inside) => inside.find("*/").map_or(text.len(), |it| it + 4),
            None => text.find(['\n', '\r']).unwrap_or(text.len()),
        };
        gap.comments.push(Comment { text: text[..end].trim_end(), lines_before: lines });
        text = &text[end..];
        lines = 0;
    }
    gap.lines_after = lines + breaks(text);
    gap
}

/// Counts line breaks, in any spelling.
fn breaks(blank: &str) -> usize {
    let returns = blank.matches('\r').count() - blank.matches("\r\n").count();
    blank.matches('\n').count() + returns
}
