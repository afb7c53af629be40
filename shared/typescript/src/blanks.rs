//! Text with blanks in it: what is erased leaves its line ends, and its length in bytes. What is inserted is kept beside.

use std::ops::Range;

/// The text, and what is blank in it.
pub(crate) struct Blanks<'s> {
    pub(crate) source: &'s str,
    bytes: Vec<u8>,
    inserted: Vec<(usize, String)>,
}

/// Text without types, of the length of its source.
pub(crate) struct Erased {
    pub(crate) text: String,
    /// The insertions, with their places in bytes, in order. They have no line ends.
    pub(crate) inserted: Vec<(usize, String)>,
}

impl Erased {
    /// Returns the text with what is inserted.
    pub(crate) fn whole(mut self) -> String {
        for (at, inserted) in self.inserted.iter().rev() {
            self.text.insert_str(*at, inserted);
        }
        self.text
    }
}

impl<'s> Blanks<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self { source, bytes: source.as_bytes().to_vec(), inserted: Vec::new() }
    }

    /// Erases bytes, which begin and end between characters.
    pub(crate) fn erase(&mut self, range: Range<usize>) {
        for (at, char) in self.source[range.clone()].char_indices() {
            // Line ends stay, so that lines keep their numbers.
            if !matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}') {
                let start = range.start + at;
                self.bytes[start..start + char.len_utf8()].fill(b' ');
            }
        }
    }

    /// Erases bytes, and puts an ASCII character in the place of the first.
    pub(crate) fn replace(&mut self, range: Range<usize>, first: u8) {
        self.erase(range.clone());
        self.put(range.start, first);
    }

    /// Puts an ASCII character in the place of another.
    pub(crate) fn put(&mut self, at: usize, byte: u8) {
        debug_assert!(self.source.is_char_boundary(at) && byte.is_ascii(), "one character for another");
        let length = self.source[at..].chars().next().map_or(0, char::len_utf8);
        self.bytes[at..at + length].fill(b' ');
        self.bytes[at] = byte;
    }

    /// Inserts a text before the byte at `at`, behind what was inserted there before.
    pub(crate) fn insert(&mut self, at: usize, text: String) {
        self.inserted.push((at, text));
    }

    pub(crate) fn finish(mut self) -> Erased {
        let text = String::from_utf8(self.bytes).expect("whole characters were replaced by ASCII");
        self.inserted.sort_by_key(|it| it.0); // stable
        Erased { text, inserted: self.inserted }
    }
}
