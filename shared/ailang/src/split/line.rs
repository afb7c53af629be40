//! The lines of a document.

use source_text::Span;

/// A line with the start of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The text without the line break.
    pub(super) text: Span,
    /// The end with the line break, in bytes.
    pub(super) end: usize,
}

/// Returns the lines from byte `start` on. Lines end at `\n`, `\r\n` or a lone `\r`.
pub(super) fn lines(source: &str, start: usize) -> Vec<Line> {
    let bytes = source.as_bytes();
    let mut lines = Vec::new();
    let mut from = start;
    let mut at = start;
    while at < bytes.len() {
        let length = match (bytes[at], bytes.get(at + 1)) {
            (b'\r', Some(b'\n')) => 2,
            (b'\r' | b'\n', _) => 1,
            _ => {
                at += 1;
                continue;
            }
        };
        lines.push(Line { text: Span::new(from, at), end: at + length });
        at += length;
        from = at;
    }
    if from < bytes.len() {
        lines.push(Line { text: Span::new(from, bytes.len()), end: bytes.len() });
    }
    lines
}

/// Strips up to three blanks; `None` behind more, or behind a tab.
pub(super) fn behind_indent(text: &str) -> Option<&str> {
    let trimmed = text.trim_start_matches(' ');
    (text.len() - trimmed.len() <= 3).then_some(trimmed)
}
