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
/// Lines end at `\n`, `\r\n` or a lone `\r`, as in LSP 3.17. Lines and columns count from 0 here; the
/// newtypes that count from 1 belong to `ide-protocol`.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
    len: usize,
}

impl LineIndex {
    /// Makes the index in one pass over the text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends_line = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends_line {
                starts.push(at + 1);
            }
        }
        Self { starts, len: text.len() }
    }

    /// Returns the number of lines. A final line break starts one more, empty line.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the bytes of line `line` (from 0) without its line break, or `None` past the last line.
    ///
    /// `text` must be the text of the index.
    pub fn line_range(&self, text: &str, line: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.len);
        let trimmed = text[start..end].trim_end_matches(['\n', '\r']);
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
            let index = LineIndex::new(&text);
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
