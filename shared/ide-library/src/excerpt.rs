//! Text of files for an agent: how much of it one answer holds, and how a line that is too long is shown.

use dialect::Failure;
use ide_protocol::{FileRange, Line, LinesResult};

use crate::LinesQuestion;
use crate::failure::of_wire;
use crate::memory::Memory;
use crate::symbol::whole_lines;

/// How much text one answer holds: bytes of JSON, somewhat less than an agent is shown of any value.
pub(crate) const BUDGET: usize = 15 * 1024;

/// How many characters of a line are shown.
const WIDTH: usize = 1000;

/// What is left of the budget.
#[derive(Debug)]
pub(crate) struct Room(usize);

impl Room {
    pub(crate) fn new() -> Self {
        Self(BUDGET)
    }

    /// Takes the room that a line of text needs, its line break included, if there is so much.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        let left = self.0.checked_sub(json_length(line) + 2);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Bytes of the text within a JSON string.
fn json_length(text: &str) -> usize {
    let length = |char: char| match char {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        char if char < ' ' => 6,
        char => char.len_utf8(),
    };
    text.chars().map(length).sum()
}

/// The line, cut where it is too long to be read.
pub(crate) fn clip(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

/// The range that is all of a file.
pub(crate) async fn whole_file(host: &Memory, path: &str) -> Result<FileRange, Failure> {
    let answer = lines_of(host, path, Line::FIRST, Line::FIRST).await?;
    let last = u32::try_from(answer.line_count).ok().and_then(Line::new);
    Ok(whole_lines(&answer.path, Line::FIRST, last.unwrap_or(Line::FIRST)))
}

/// Lines of a file, both ends inclusive.
pub(crate) async fn lines_of(
    host: &Memory,
    path: &str,
    first: Line,
    last: Line,
) -> Result<LinesResult, Failure> {
    host.lines(LinesQuestion { path: path.to_owned(), first, last }).await.map_err(of_wire)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_counted_as_json_spells_it() {
        for text in ["plain", "\"\\\n\t\r", "\u{1}\u{1f}", "é😀"] {
            assert_eq!(json_length(text) + 2, serde_json::json!(text).to_string().len(), "{text:?}");
        }
        let mut room = Room(10);
        assert!(room.take("12345678") && !room.take(""));
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(clip("é"), "é");
        let cut = clip(&"é".repeat(WIDTH + 1));
        assert_eq!((cut.chars().count(), cut.ends_with("é…")), (WIDTH + 1, true));
    }
}
