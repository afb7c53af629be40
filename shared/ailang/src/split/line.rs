//! The lines of a document.

use source_text::Span;

/// A line: where its text stands, and where the next line starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Without its line break.
    pub(super) text: Span,
    /// Its line break included.
    pub(super) end: usize,
}

/// Every line from byte `start` on; none when nothing is left. Lines end at `\n`, `\r\n` or a lone `\r`.
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

/// The text behind at most three blanks; `None` behind more, or behind a tab.
pub(super) fn behind_indent(text: &str) -> Option<&str> {
    let trimmed = text.trim_start_matches(' ');
    (text.len() - trimmed.len() <= 3).then_some(trimmed)
}
