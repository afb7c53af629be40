//! Fences: text between lines of three or more backticks or tildes.

use source_text::Span;

use super::line::{Line, behind_indent};

/// A fenced stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The whole fence, with its first and last line.
    pub span: Span,
    /// The first word behind the opening fence: `typescript`, `output`, or nothing.
    pub info: String,
    /// The content, with its last line break.
    pub body: Span,
    /// The closing line; `None` if there is none before the end of the block or the document.
    pub closer: Option<Span>,
}

impl Fence {
    /// Returns `true` for definitions or a program, and `false` for an attachment.
    pub fn is_code(&self) -> bool {
        matches!(self.info.as_str(), "" | "typescript" | "ts" | "ailang" | "ail")
    }
}

/// An opening fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opener {
    pub(super) mark: char,
    pub(super) length: usize,
    pub(super) info: String,
}

/// Parses a line as an opening fence.
pub(super) fn opener(text: &str) -> Option<Opener> {
    let text = behind_indent(text)?;
    let mark = text.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    if length < 3 || mark == '`' && info.contains('`') {
        return None;
    }
    let word = info.trim_start().split(|char: char| char.is_whitespace() || matches!(char, '{' | ',')).next();
    Some(Opener { mark, length, info: word.unwrap_or_default().to_owned() })
}

/// Returns `true` if a line closes the fence.
fn closes(text: &str, opener: &Opener) -> bool {
    let Some(text) = behind_indent(text) else { return false };
    let rest = text.trim_start_matches(opener.mark);
    text.len() - rest.len() >= opener.length && rest.trim_matches([' ', '\t']).is_empty()
}

/// A search for closing fences, with a cache that keeps repeated searches cheap.
#[derive(Debug, Default)]
pub(super) struct Closers {
    /// The results by mark and length: from line `.0` on, the first closing fence is line `.1`, or there is
    /// none.
    seen: std::collections::HashMap<(char, usize), (usize, Option<usize>)>,
}

impl Closers {
    /// Returns the first line from line `from` on that closes the fence.
    pub(super) fn find(
        &mut self,
        source: &str,
        lines: &[Line],
        opener: &Opener,
        from: usize,
    ) -> Option<usize> {
        let key = (opener.mark, opener.length);
        if let Some((since, found)) = self.seen.get(&key)
            && *since <= from
            && found.is_none_or(|found| found >= from)
        {
            return *found;
        }
        let found = lines[from..].iter().position(|line| closes(&source[line.text.range()], opener));
        let found = found.map(|offset| from + offset);
        self.seen.insert(key, (from, found));
        found
    }
}
