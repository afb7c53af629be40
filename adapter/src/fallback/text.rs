//! Reads source files, and cuts lines to a width that is worth sending.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;

use ide_protocol::{Column, Line, Point};
use source_text::{Encoding, LineIndex};

use super::convert::Columns;
use super::outline::Extent;

/// Files beyond this are not read whole.
pub(crate) const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// A byte order mark.
const MARK: char = '\u{feff}';

/// How many characters of a line stand beside a place.
const WIDTH: usize = 200;

/// The text of one file, with its lines.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    text: String,
    index: LineIndex,
    /// Whether bytes that are no UTF-8 were replaced.
    pub(crate) lossy: bool,
    /// Whether a byte order mark stands before it, which belongs to no line.
    pub(crate) has_mark: bool,
}

/// Why a file has no text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("it is a folder")]
    Folder,
    #[error("it is no regular file")]
    Special,
    #[error("it is a binary file")]
    Binary,
    #[error("it is larger than {} MiB", SIZE_LIMIT / 1024 / 1024)]
    TooLarge,
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Text {
    /// Reads a file, blocking. Bytes that are no UTF-8 are replaced; a NUL byte means binary.
    pub(crate) fn read(path: &Path) -> Result<Self, ReadError> {
        bytes(path).map(Self::from_bytes)
    }

    /// The same, or nothing when it does not have all of these words.
    pub(crate) fn read_with_words(path: &Path, words: &[String]) -> Result<Option<Self>, ReadError> {
        let bytes = bytes(path)?;
        let has = |word: &String| memchr::memmem::find(&bytes, word.as_bytes()).is_some();
        Ok(words.iter().all(has).then(|| Self::from_bytes(bytes)))
    }

    /// The same with the bytes that it was made of.
    pub(crate) fn read_with_bytes(path: &Path) -> Result<(Self, Vec<u8>), ReadError> {
        bytes(path).map(|it| (Self::from_bytes(it.clone()), it))
    }

    fn from_bytes(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::from(text),
            Err(error) => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Self { lossy: true, ..Self::from(text) }
            }
        }
    }

    /// The whole text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The text as a server gets it that counts so: one that counts a mark has to see it whoever reads the file.
    pub(crate) fn sent(&self, columns: Columns) -> Cow<'_, str> {
        match self.has_mark && columns.count_mark {
            true => Cow::Owned(format!("{MARK}{}", self.text)),
            false => Cow::Borrowed(&self.text),
        }
    }

    /// Where its lines begin.
    pub(crate) fn index(&self) -> &LineIndex {
        &self.index
    }

    /// Line `line` (from 0) without its break.
    pub(crate) fn line(&self, line: usize) -> Option<&str> {
        self.index.line(&self.text, line)
    }

    /// Where a byte of the text stands.
    pub(crate) fn point(&self, offset: usize) -> Point {
        let (line, column) = self.index.position(&self.text, offset, Encoding::Utf32);
        Point { line: Line::from_index(line), column: Column::from_index(column) }
    }

    /// What stands at an extent within one line.
    pub(crate) fn word(&self, extent: Extent) -> Option<String> {
        let Extent { start, end } = extent;
        let columns = end.column.index().checked_sub(start.column.index())?;
        let line = self.line(start.line.index()).filter(|_| start.line == end.line)?;
        Some(line.chars().skip(start.column.index()).take(columns).collect())
    }

    /// How many lines a person would count: a final line break opens no further one.
    pub(crate) fn line_count(&self) -> usize {
        let count = self.index.line_count();
        if self.line(count - 1) == Some("") { count - 1 } else { count }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(ReadError::Folder);
    }
    if !metadata.is_file() {
        return Err(ReadError::Special);
    }
    if metadata.len() > SIZE_LIMIT {
        return Err(ReadError::TooLarge);
    }
    let bytes = fs::read(path)?;
    if bytes.contains(&0) {
        return Err(ReadError::Binary);
    }
    Ok(bytes)
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        let (has_mark, text) = match text.strip_prefix(MARK) {
            Some(rest) => (true, rest.to_owned()),
            None => (false, text),
        };
        Self { index: LineIndex::new(&text), text, lossy: false, has_mark }
    }
}

/// A line as it stands beside a place: without the space around it, cut to a sane width so that `column`
/// (from 0, in characters) stays in sight.
pub(crate) fn excerpt(line: &str, column: usize) -> String {
    let indent = line.chars().take_while(|it| it.is_whitespace()).count();
    let line = line.trim();
    let length = line.chars().count();
    if length <= WIDTH {
        return line.to_owned();
    }
    let column = column.saturating_sub(indent);
    let start = if column + WIDTH / 4 < WIDTH { 0 } else { (column - WIDTH / 2).min(length - WIDTH) };
    let shown: String = line.chars().skip(start).take(WIDTH).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + WIDTH < length { "…" } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_keeps_the_match_in_sight() {
        assert_eq!(excerpt("    let user = 1;  ", 8), "let user = 1;");
        let long = format!("  {}needle{}", "a".repeat(1000), "b".repeat(1000));
        let shown = excerpt(&long, 1002);
        assert!(shown.contains("needle") && shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert_eq!(shown.chars().count(), WIDTH + 2);
        assert!(excerpt(&long, 0).starts_with("aaa"));
        assert!(excerpt(&long, 2007).ends_with("bbb"));
    }

    #[test]
    fn a_final_line_break_opens_no_line() {
        for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\r\nb", 2), ("a\n\n", 2)] {
            assert_eq!(Text::from(text.to_owned()).line_count(), count, "{text:?}");
        }
    }
}
