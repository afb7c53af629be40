//! Lines and columns of a text, in each unit that the protocols count in.

use std::ops::Range;

/// A unit in which columns are counted (LSP 3.17, `PositionEncodingKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Bytes: LSP's `utf-8`.
    Utf8,
    /// UTF-16 code units: LSP's default, `utf-16`.
    Utf16,
    /// Unicode scalar values: LSP's `utf-32`, and the columns that people count.
    Utf32,
}

impl Encoding {
    fn width(self, char: char) -> usize {
        match self {
            Self::Utf8 => char.len_utf8(),
            Self::Utf16 => char.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// The starts of the lines of one text.
///
/// Lines end at `\n`, `\r\n` or a lone `\r`, as in LSP 3.17, or as [`of_feeds`](Self::of_feeds) says. Lines and columns
/// count from 0 here; the newtypes that count from 1 belong to `ide-protocol`.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
    len: usize,
    has_lone_returns: bool,
}

impl LineIndex {
    /// Makes the index in one pass over the text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut starts, mut has_lone_returns) = (vec![0], false);
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let is_lone_return = bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            has_lone_returns |= is_lone_return;
            if is_lone_return || bytes[at] == b'\n' {
                starts.push(at + 1);
            }
        }
        Self { starts, len: text.len(), has_lone_returns }
    }

    /// Makes the index of those who end lines at `\n` and `\r\n` alone, and take a lone `\r` for a character of its line.
    pub fn of_feeds(text: &str) -> Self {
        let Self { mut starts, len, .. } = Self::new(text);
        starts.retain(|start| *start == 0 || text.as_bytes()[start - 1] == b'\n');
        Self { starts, len, has_lone_returns: false }
    }

    /// Returns `true` if a lone `\r` ends one of the lines.
    pub fn has_lone_returns(&self) -> bool {
        self.has_lone_returns
    }

    /// Returns the number of lines. A final line break starts one more, empty line.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Returns all lines with their line breaks; a final line break starts no further line here.
    ///
    /// `text` must be the text of the index.
    pub fn whole_lines<'text>(&self, text: &'text str) -> impl Iterator<Item = &'text str> {
        let ends = self.starts.iter().skip(1).chain([&self.len]);
        let lines = self.starts.iter().zip(ends).map(|(start, end)| &text[*start..*end]);
        lines.filter(|it| !it.is_empty())
    }

    /// Returns the bytes of line `line` (from 0) without its line break, or `None` past the last line.
    ///
    /// `text` must be the text of the index.
    pub fn line_range(&self, text: &str, line: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(line)?;
        let Some(end) = self.starts.get(line + 1) else { return Some(start..self.len) };
        let whole = &text[start..*end];
        let trimmed = whole.strip_suffix("\r\n").unwrap_or(&whole[..whole.len() - 1]);
        Some(start..start + trimmed.len())
    }

    /// Returns the text of line `line` (from 0) without its line break, or `None` past the last line.
    pub fn line<'text>(&self, text: &'text str, line: usize) -> Option<&'text str> {
        self.line_range(text, line).map(|range| &text[range])
    }

    /// Returns the line and column (both from 0, the column in `encoding`) of a byte offset.
    ///
    /// An offset inside a character counts as that character's start, and one past the end as the end.
    pub fn position(&self, text: &str, offset: usize, encoding: Encoding) -> (usize, usize) {
        let mut offset = offset.min(self.len);
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column = text[self.starts[line]..offset].chars().map(|char| encoding.width(char)).sum();
        (line, column)
    }

    /// Returns the byte offset of a line and column (both from 0, the column in `encoding`), or `None` past
    /// the last line.
    ///
    /// A column past the line's end is the line's end, as in LSP. One inside a character is that character's
    /// start.
    pub fn offset(&self, text: &str, line: usize, column: usize, encoding: Encoding) -> Option<usize> {
        let range = self.line_range(text, line)?;
        let mut seen = 0;
        for (at, char) in text[range.clone()].char_indices() {
            let width = encoding.width(char);
            if seen + width > column {
                return Some(range.start + at);
            }
            seen += width;
        }
        Some(range.end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_and_offsets_are_one_another(text in "[a\u{e9}\u{1f600}\r\n]{0,40}|\\PC*") {
            for index in [LineIndex::new(&text), LineIndex::of_feeds(&text)] {
                for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                    let mut before = None;
                    for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                        let (line, column) = index.position(&text, at, encoding);
                        prop_assert!(before < Some((line, column)));
                        before = Some((line, column));
                        // Inside a line break there is no column: it is the end of its line.
                        let range = index.line_range(&text, line).expect("a line that was just named");
                        prop_assert_eq!(index.offset(&text, line, column, encoding), Some(at.min(range.end)));
                    }
                }
            }
        }

        #[test]
        fn both_rules_are_those_of_splitting(text in "[a\u{e9}\r\n\u{b}\u{c}\u{85}\u{2028}\u{2029}]{0,40}") {
            let feeds = LineIndex::of_feeds(&text);
            let lines: Vec<_> = (0..feeds.line_count()).filter_map(|it| feeds.line(&text, it)).collect();
            let pieces: Vec<_> = text.split('\n').collect();
            let (last, ended) = pieces.split_last().expect("splitting gives a piece");
            let ended = ended.iter().map(|it| it.strip_suffix('\r').unwrap_or(it));
            prop_assert_eq!(lines, ended.chain([*last]).collect::<Vec<_>>());
            let index = LineIndex::new(&text);
            let lines: Vec<_> = (0..index.line_count()).filter_map(|it| index.line(&text, it)).collect();
            let plain = text.replace("\r\n", "\n");
            prop_assert_eq!(lines, plain.split(['\n', '\r']).collect::<Vec<_>>());
            prop_assert_eq!(index.whole_lines(&text).collect::<String>(), text.as_str());
            prop_assert_eq!(index.has_lone_returns(), plain.contains('\r'));
            prop_assert_eq!(crate::has_lone_return(text.as_bytes()), plain.contains('\r'));
            let mut fed = text.clone().into_bytes();
            crate::feed_lone_returns(&mut fed, None);
            let fed = String::from_utf8(fed).expect("one ASCII character replaces another");
            let of_fed = LineIndex::of_feeds(&fed);
            prop_assert_eq!(of_fed.starts, index.starts);
        }
    }

    #[test]
    fn columns_agree_in_every_encoding() {
        let text = "a\r\né😀x\rlast";
        let index = LineIndex::new(text);
        assert_eq!(index.line_count(), 3);
        assert_eq!(index.line(text, 1), Some("é😀x"));
        let x = text.find('x').expect("there is an x");
        for (encoding, column) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            assert_eq!(index.position(text, x, encoding), (1, column));
            assert_eq!(index.offset(text, 1, column, encoding), Some(x));
        }
        assert_eq!(index.offset(text, 0, 99, Encoding::Utf16), Some(1));
        assert_eq!(index.offset(text, 3, 0, Encoding::Utf16), None);
    }

    #[test]
    fn a_column_inside_a_character_is_its_start() {
        let text = "é😀x";
        let index = LineIndex::new(text);
        assert_eq!(index.offset(text, 0, 2, Encoding::Utf16), Some(2));
        assert_eq!(index.position(text, 3, Encoding::Utf32), (0, 1));
    }
}
