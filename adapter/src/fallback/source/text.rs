//! Reads source files, and cuts long lines for answers.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use ide_protocol::{Column, Line, Point};
use source_text::{Encoding, LineIndex, feed_lone_returns};

use super::outline::Extent;
use crate::os;

/// The largest file that is read, in bytes.
pub(crate) const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// The byte order mark.
pub(crate) const MARK: char = '\u{feff}';

/// The number of characters of a line that a range has as its text.
pub(crate) const WIDTH: usize = 10_000;

/// The text of one file with its line index.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    text: String,
    /// Made when it is asked for: a text that is only compared needs none.
    index: OnceLock<LineIndex>,
    /// The index for servers that take a lone carriage return for a character, once one asks.
    feeds: OnceLock<LineIndex>,
    /// `true` if bytes that are not UTF-8 were replaced.
    pub(crate) lossy: bool,
    /// `true` if the file starts with a byte order mark, which belongs to no line.
    pub(crate) has_mark: bool,
    /// `true` if the file holds UTF-16, so that its bytes are not those of the text.
    pub(crate) is_utf16: bool,
}

/// The byte order of a UTF-16 file, by its mark.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Utf16 {
    Little,
    Big,
}

impl Utf16 {
    /// Detects a UTF-16 byte order mark; `None` for other encodings, UTF-32 included.
    pub(crate) fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xFF, 0xFE, 0, 0, ..] => None,
            [0xFF, 0xFE, ..] => Some(Self::Little),
            [0xFE, 0xFF, ..] => Some(Self::Big),
            _ => None,
        }
    }

    fn decode(self, bytes: &[u8]) -> Text {
        let (units, rest) = bytes.as_chunks::<2>();
        let units = units.iter().map(|it| match self {
            Self::Little => u16::from_le_bytes(*it),
            Self::Big => u16::from_be_bytes(*it),
        });
        let mut lossy = !rest.is_empty();
        let decoded = char::decode_utf16(units).map(|it| {
            it.unwrap_or_else(|_| {
                lossy = true;
                char::REPLACEMENT_CHARACTER
            })
        });
        let text: String = decoded.collect();
        Text { lossy, is_utf16: true, ..Text::from(text) }
    }
}

/// The reason why a file has no text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("it is a folder")]
    Folder,
    #[error("it is no regular file")]
    Special,
    #[error("it is a binary file")]
    Binary,
    #[error("a symbolic link has taken its place")]
    Link,
    #[error("it is larger than {} MiB", SIZE_LIMIT / 1024 / 1024)]
    TooLarge,
    #[error("{0}")]
    Io(io::Error),
}

impl Text {
    /// Reads a file by its canonical path without following symbolic links; blocking.
    ///
    /// UTF-16 with a byte order mark is decoded. Other bytes that are not UTF-8 are replaced. A NUL byte
    /// means binary.
    pub(crate) fn read(path: &Path) -> Result<Self, ReadError> {
        bytes(path).map(Self::from_bytes)
    }

    /// Reads a file for a language server, which follows symbolic links; blocking.
    pub(crate) fn read_for_server(path: &Path) -> Result<Self, ReadError> {
        Self::read(&path.canonicalize()?)
    }

    /// Reads a file; `None` if it lacks one of these words. Blocking.
    pub(crate) fn read_with_words(path: &Path, words: &[String]) -> Result<Option<Self>, ReadError> {
        let bytes = bytes(path)?;
        let is_utf16 = Utf16::detect(&bytes).is_some();
        let has = |word: &String| is_utf16 || memchr::memmem::find(&bytes, word.as_bytes()).is_some();
        Ok(words.iter().all(has).then(|| Self::from_bytes(bytes)))
    }

    /// Reads a file, and returns its raw bytes too; blocking.
    pub(crate) fn read_with_bytes(path: &Path) -> Result<(Self, Vec<u8>), ReadError> {
        bytes(path).map(|it| (Self::from_bytes(it.clone()), it))
    }

    fn from_bytes(bytes: Vec<u8>) -> Self {
        if let Some(encoding) = Utf16::detect(&bytes) {
            return encoding.decode(&bytes);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::from(text),
            Err(error) => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Self { lossy: true, ..Self::from(text) }
            }
        }
    }

    /// Returns the whole text, without a byte order mark.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text to send to a server: with the byte order mark if it counts it, and without lone carriage returns
    /// if it counts them in several ways.
    pub(crate) fn text_for_server(&self, columns: Columns) -> Cow<'_, str> {
        let text = match columns.lone_return {
            LoneReturn::SentAsFeed => self.with_feeds(),
            LoneReturn::EndsLine | LoneReturn::IsCharacter => Cow::Borrowed(self.as_str()),
        };
        match self.has_mark && columns.count_mark {
            true => Cow::Owned(format!("{MARK}{text}")),
            false => text,
        }
    }

    /// Returns the text with a line feed for each lone carriage return: the same lines, for those who end them at line
    /// feeds.
    pub(crate) fn with_feeds(&self) -> Cow<'_, str> {
        if !self.index().has_lone_returns() {
            return Cow::Borrowed(&self.text);
        }
        let mut bytes = self.text.clone().into_bytes();
        feed_lone_returns(&mut bytes, None);
        Cow::Owned(String::from_utf8(bytes).expect("one ASCII character replaces another"))
    }

    /// Returns the line index.
    pub(crate) fn index(&self) -> &LineIndex {
        self.index.get_or_init(|| LineIndex::new(&self.text))
    }

    /// Returns the line index of a server.
    pub(crate) fn index_for(&self, columns: Columns) -> &LineIndex {
        match columns.lone_return {
            LoneReturn::IsCharacter if self.index().has_lone_returns() => {
                self.feeds.get_or_init(|| LineIndex::of_feeds(&self.text))
            }
            _ => self.index(),
        }
    }

    /// Returns line `line` (from 0) without its line break.
    pub(crate) fn line(&self, line: usize) -> Option<&str> {
        self.index().line(&self.text, line)
    }

    /// Converts a byte offset to a point.
    pub(crate) fn point(&self, offset: usize) -> Point {
        let (line, column) = self.index().position(&self.text, offset, Encoding::Utf32);
        Point { line: Line::from_index(line), column: Column::from_index(column) }
    }

    /// Returns the text of an extent within one line.
    pub(crate) fn word(&self, extent: Extent) -> Option<String> {
        let Extent { start, end } = extent;
        let columns = end.column.index().checked_sub(start.column.index())?;
        let line = self.line(start.line.index()).filter(|_| start.line == end.line)?;
        Some(line.chars().skip(start.column.index()).take(columns).collect())
    }

    /// Returns the number of lines; a final line break starts no further line.
    pub(crate) fn line_count(&self) -> usize {
        let count = self.index().line_count();
        if self.line(count - 1) == Some("") { count - 1 } else { count }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match os::is_link(&error) {
            true => Self::Link,
            false => Self::Io(error),
        }
    }
}

/// Opens a regular file within the size limit by its canonical path, and returns it with its size in bytes.
fn open(path: &Path) -> Result<(File, u64), ReadError> {
    let file = os::open_unlinked(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(ReadError::Folder);
    }
    if !metadata.is_file() {
        return Err(ReadError::Special);
    }
    if metadata.len() > SIZE_LIMIT {
        return Err(ReadError::TooLarge);
    }
    Ok((file, metadata.len()))
}

/// Returns whether a file starts with a UTF-16 byte order mark, which some servers cannot read; blocking.
pub(crate) fn is_utf16(path: &Path) -> bool {
    let mut start = Vec::with_capacity(4);
    let read = path.canonicalize().map_err(ReadError::from).and_then(|it| open(&it));
    let read = read.and_then(|(it, _)| it.take(4).read_to_end(&mut start).map_err(ReadError::from));
    read.is_ok() && Utf16::detect(&start).is_some()
}

fn bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let (file, size) = open(path)?;
    // With room for all of it and its end, it is read at once. It may grow meanwhile.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SIZE_LIMIT {
        return Err(ReadError::TooLarge);
    }
    if Utf16::detect(&bytes).is_none() && memchr::memchr(0, &bytes).is_some() {
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
        let (index, feeds) = (OnceLock::new(), OnceLock::new());
        Self { index, feeds, text, lossy: false, has_mark, is_utf16: false }
    }
}

/// Trims a line, and cuts a very long one around `column` (from 0, in characters). What is left out is counted.
pub(crate) fn excerpt(line: &str, column: usize) -> String {
    excerpt_of_part(line, column, 0, 0)
}

/// Trims and cuts a part of a line as [`excerpt`]; so many characters of the line are before and behind the part.
pub(crate) fn excerpt_of_part(part: &str, column: usize, before: usize, behind: usize) -> String {
    let indent = part.chars().take_while(|it| it.is_whitespace()).count();
    let text = part.trim();
    let length = text.chars().count();
    let column = column.saturating_sub(indent);
    let is_near = length <= WIDTH || column + WIDTH / 4 < WIDTH;
    let start = if is_near { 0 } else { (column - WIDTH / 2).min(length - WIDTH) };
    let shown: String = text.chars().skip(start).take(WIDTH).collect();
    // Space around the line is no part of it, but space around a part of the line is.
    let before = start + if before > 0 { before + indent } else { 0 };
    let trailing = part.chars().count().saturating_sub(indent + length);
    let behind = length.saturating_sub(start + WIDTH) + if behind > 0 { behind + trailing } else { 0 };
    let before = if before > 0 { format!("+{before}…") } else { String::new() };
    let behind = if behind > 0 { format!("…+{behind}") } else { String::new() };
    format!("{before}{shown}{behind}")
}

/// The way in which a server counts lines and columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub(crate) unit: Encoding,
    /// `true` if a byte order mark counts as the first character of the first line.
    pub(crate) count_mark: bool,
    pub(crate) lone_return: LoneReturn,
}

/// The way in which a server counts a carriage return without a line feed. All of them end lines at `\n` and `\r\n`, and
/// at no other character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoneReturn {
    /// It ends a line, as LSP says.
    EndsLine,
    /// It is a character of its line.
    IsCharacter,
    /// It ends a line in some messages, and in others it does not, though it does in the language. In open documents a
    /// line feed stands for it, which takes the same place.
    SentAsFeed,
}

impl Columns {
    /// Returns the number of units that the server counts before the first character of a line (from 0).
    pub(crate) fn before(self, text: &Text, line: u32) -> u32 {
        match self.unit {
            _ if line > 0 || !self.count_mark || !text.has_mark => 0,
            Encoding::Utf8 => 3,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_keeps_the_match_in_sight() {
        assert_eq!(excerpt("    let user = 1;  ", 8), "let user = 1;");
        let whole = format!("{}needle", "a".repeat(WIDTH - 6));
        assert_eq!(excerpt(&format!("  {whole}  "), 5000), whole);
        let long = format!("  {}needle{}", "a".repeat(50_000), "b".repeat(50_000));
        let shown = excerpt(&long, 50_002);
        assert!(shown.starts_with("+45000…aaa") && shown.ends_with("bbb…+45006"), "{shown}");
        assert!(shown.contains("needle"));
        assert!(excerpt(&long, 0).starts_with("aaa"));
        assert!(excerpt(&long, 100_007).ends_with("bbb"));
        assert_eq!(excerpt_of_part(" a ", 0, 3, 4), "+4…a…+5");
    }

    #[test]
    fn utf16_with_a_mark_is_decoded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("a.ts");
        let text = "const é😀 = 1;\n";
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let units = [0xFEFF].into_iter().chain(text.encode_utf16());
            let bytes: Vec<u8> = units.flat_map(to_bytes).collect();
            std::fs::write(&path, &bytes).unwrap();
            let read = Text::read(&path).unwrap();
            assert_eq!((read.as_str(), read.has_mark, read.is_utf16, read.lossy), (text, true, true, false));
            assert!(is_utf16(&path));
            std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
            assert!(Text::read(&path).unwrap().lossy);
        }
        std::fs::write(&path, [0xFF, 0xFE, 0, 0, b'a', 0, 0, 0]).unwrap();
        assert!(matches!(Text::read(&path), Err(ReadError::Binary)) && !is_utf16(&path));
    }

    #[test]
    fn a_final_line_break_opens_no_line() {
        for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\r\nb", 2), ("a\n\n", 2)] {
            assert_eq!(Text::from(text.to_owned()).line_count(), count, "{text:?}");
        }
    }
}
