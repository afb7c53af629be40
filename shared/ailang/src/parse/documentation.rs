//! Assignment of comments to items.

use source_text::Span;

use super::Parser;
use super::comment::Comment;
use crate::syntax::{DocTag, Documentation, is_banner};

/// Tags without a text; any other tag takes the rest of its line.
pub(crate) const FLAGS: &[&str] = &[
    "pure",
    "readOnly",
    "destructive",
    "idempotent",
    "openWorld",
    "hidden",
    "conversion",
    "constructor",
    "settable",
    "secret",
];

impl Parser<'_, '_> {
    /// Returns the comments above an item and behind its last line. The item starts at token `first` and has
    /// been read.
    pub(super) fn documentation(&self, first: usize) -> Documentation {
        let span = self.span_from(first);
        let mut documentation = Documentation::default();
        let mut lines = Vec::new();
        for comment in self.above(span.start).iter().chain(self.behind(span.end)) {
            self.read_comment(comment, &mut lines, &mut documentation.tags);
        }
        documentation.text = lines.join("\n").trim_matches('\n').to_owned();
        documentation
    }

    /// Returns the comments on the lines directly above `start`.
    fn above(&self, start: usize) -> &[Comment] {
        let end = self.comments.partition_point(|comment| comment.span.end <= start);
        let mut first = end;
        let mut below = start;
        while first > 0 {
            let comment = &self.comments[first - 1];
            let gap = &self.source[comment.span.end..below];
            if !comment.alone || !gap.trim().is_empty() || line_breaks(gap) > 1 {
                break;
            }
            below = comment.span.start;
            first -= 1;
        }
        &self.comments[first..end]
    }

    /// Returns the comment behind `end` on its line, with at most a separator between.
    fn behind(&self, end: usize) -> Option<&Comment> {
        let comment = self.comments.get(self.comments.partition_point(|comment| comment.span.start < end))?;
        let gap = &self.source[end..comment.span.start];
        let is_near = gap.chars().all(|char| matches!(char, ' ' | '\t' | ',' | ';'));
        is_near.then_some(comment)
    }

    fn read_comment(&self, comment: &Comment, lines: &mut Vec<String>, tags: &mut Vec<DocTag>) {
        if self.text(comment.text).is_empty() {
            // It separates paragraphs.
            lines.push(String::new());
        }
        let mut start = comment.text.start;
        for line in self.text(comment.text).split_inclusive('\n') {
            let text = line.trim_end().trim_start_matches(['/', '!']);
            let text = text.strip_prefix(' ').unwrap_or(text);
            let is_first = start == comment.text.start;
            let text = without_gutter(text, is_first && self.source[..start].ends_with("/*"));
            let trimmed = text.trim();
            if trimmed.starts_with('@') && trimmed[1..].starts_with(|char: char| char.is_ascii_alphabetic()) {
                let offset = line.find('@').unwrap_or(0);
                read_tags(trimmed, start + offset, tags);
            } else if !is_banner(trimmed) {
                lines.push(text.trim_end().to_owned());
            }
            start += line.len();
        }
    }
}

/// Parses tags such as `@readOnly @deprecated use send`, which start at offset `start`.
fn read_tags(text: &str, start: usize, tags: &mut Vec<DocTag>) {
    let mut at = 0;
    while text[at..].starts_with('@') {
        let rest = &text[at + 1..];
        let length = rest.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        let is_flag = FLAGS.contains(&name.as_str());
        let words = if is_flag { "" } else { rest[length..].trim() };
        let end = if is_flag { at + 1 + length } else { text.len() };
        tags.push(DocTag { name, text: words.to_owned(), span: Span::new(start + at, start + end) });
        let behind = &text[end..];
        at = end + (behind.len() - behind.trim_start().len());
    }
}

/// Removes the `*` that starts a line of a comment, unless it starts a bold word. `/**` starts a comment with a second one.
fn without_gutter(text: &str, is_opening: bool) -> &str {
    match text.trim_start().strip_prefix('*') {
        Some(rest) if is_opening || rest.is_empty() || rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => text,
    }
}

fn line_breaks(gap: &str) -> usize {
    gap.matches('\n').count().max(gap.matches('\r').count())
}
