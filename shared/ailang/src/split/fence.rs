//! Fences: three or more backticks or tildes, and what stands between two such lines.

use source_text::Span;

use super::line::{Line, behind_indent};

/// A fenced stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// All of it, both fences included.
    pub span: Span,
    /// The first word behind the opening fence: `typescript`, `output`, or nothing.
    pub info: String,
    /// What stands between the fences, its last line break included.
    pub body: Span,
    /// The closing line; `None` when there is none before the block's or the document's end.
    pub closer: Option<Span>,
}

impl Fence {
    /// Whether it holds definitions or a program rather than an attachment.
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

/// The opening fence that a line is.
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

/// Whether a line closes the fence.
fn closes(text: &str, opener: &Opener) -> bool {
    let Some(text) = behind_indent(text) else { return false };
    let rest = text.trim_start_matches(opener.mark);
    text.len() - rest.len() >= opener.length && rest.trim_matches([' ', '\t']).is_empty()
}

/// Finds the lines that close fences. Remembers where it has looked, so that looking again and again for
/// what is far away or nowhere stays cheap.
#[derive(Debug, Default)]
pub(super) struct Closers {
    /// For a mark and a length: looking from `.0` on, the first closer is line `.1`, or there is none.
    seen: std::collections::HashMap<(char, usize), (usize, Option<usize>)>,
}

impl Closers {
    /// The first line from line `from` on that closes the fence.
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
