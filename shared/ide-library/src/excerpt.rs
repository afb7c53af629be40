//! Text of files for an agent, cut to a budget.

use dialect::Failure;
use ide_protocol::{FileRange, Line, LinesQuestion, LinesResult, Operation};

use crate::cached_host::CachedHost;
use crate::failure::from_wire;
use crate::symbol::whole_lines;

/// The maximum size of one result, in bytes of JSON. It is below the limit for any value shown to an agent.
pub(crate) const BUDGET: usize = 15 * 1024;

/// The maximum size of a list of places, in bytes.
pub const PLACES: usize = 5 * 1024;

/// The maximum number of characters shown of a line.
const WIDTH: usize = 1000;

/// The rest of the budget, in bytes of JSON.
#[derive(Debug)]
pub(crate) struct Budget(usize);

impl Budget {
    pub(crate) fn new() -> Self {
        Self(BUDGET)
    }

    /// Returns the budget of a list of places, which is read for a few of them.
    pub(crate) fn of_places() -> Self {
        Self(PLACES)
    }

    /// Takes the space for a line and its line break. Returns false if there is not enough.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        let left = self.0.checked_sub(json_length(line) + 2);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Returns the number of bytes of a text within a JSON string.
fn json_length(text: &str) -> usize {
    let length = |char: char| match char {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        char if char < ' ' => 6,
        char => char.len_utf8(),
    };
    text.chars().map(length).sum()
}

/// Returns the line, shortened to [`WIDTH`] characters.
pub(crate) fn clip(line: &str) -> String {
    source_text::shorten(line, WIDTH).into_owned()
}

/// Returns the range of a whole file.
pub(crate) async fn whole_file(host: &CachedHost, path: &str) -> Result<FileRange, Failure> {
    let answer = lines_of(host, path, Line::FIRST, Line::FIRST).await?;
    let last = u32::try_from(answer.line_count).ok().and_then(Line::new);
    Ok(whole_lines(&answer.path, Line::FIRST, last.unwrap_or(Line::FIRST)))
}

/// Returns lines of a file, both ends inclusive.
pub(crate) async fn lines_of(
    host: &CachedHost,
    path: &str,
    first: Line,
    last: Line,
) -> Result<LinesResult, Failure> {
    host.ask(Operation::Lines, &LinesQuestion { path: path.to_owned(), first, last }).await.map_err(from_wire)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_counted_as_json_spells_it() {
        for text in ["plain", "\"\\\n\t\r", "\u{1}\u{1f}", "é😀"] {
            assert_eq!(json_length(text) + 2, serde_json::json!(text).to_string().len(), "{text:?}");
        }
        let mut room = Budget(10);
        assert!(room.take("12345678") && !room.take(""));
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(clip("é"), "é");
        let cut = clip(&"é".repeat(WIDTH + 1));
        assert_eq!((cut.chars().count(), cut.ends_with("é…")), (WIDTH + 1, true));
    }
}
