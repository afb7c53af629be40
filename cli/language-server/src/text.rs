//! Texts of open files: the changes of a client, and the places in them.

use std::sync::Arc;

use source_text::{Encoding, LineIndex, Span};

/// A line and a column, both from 0. The unit of columns is negotiated.
pub(crate) type Place = (usize, usize);

/// A text with its lines.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) source: Arc<str>,
    index: Arc<LineIndex>,
}

/// A change of a text: a place, and what replaces it. Without a place it is the whole text.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) range: Option<(Place, Place)>,
    pub(crate) text: String,
}

impl Text {
    pub(crate) fn new(source: impl Into<Arc<str>>) -> Self {
        let source = source.into();
        Self { index: Arc::new(LineIndex::new(&source)), source }
    }

    /// Returns the text after a change. Places behind the end mean the end.
    pub(crate) fn changed(&self, change: Change, encoding: Encoding) -> Self {
        let Some((start, end)) = change.range else { return Self::new(change.text) };
        let (start, end) = (self.offset(start, encoding), self.offset(end, encoding));
        let (start, end) = (start.min(end), start.max(end));
        let mut source = String::with_capacity(self.source.len() - (end - start) + change.text.len());
        source.push_str(&self.source[..start]);
        source.push_str(&change.text);
        source.push_str(&self.source[end..]);
        Self::new(source)
    }

    /// Returns the offset in bytes of a place; behind the last line, that of the end.
    pub(crate) fn offset(&self, place: Place, encoding: Encoding) -> usize {
        let offset = self.index.offset(&self.source, place.0, place.1, encoding);
        offset.unwrap_or(self.source.len())
    }

    /// Returns the place of an offset in bytes.
    pub(crate) fn place(&self, offset: usize, encoding: Encoding) -> Place {
        self.index.position(&self.source, offset, encoding)
    }

    /// Returns the bytes of a line without its line break.
    pub(crate) fn line(&self, line: usize) -> Option<Span> {
        self.index.line_range(&self.source, line).map(|range| Span::new(range.start, range.end))
    }

    /// Returns the number of the line, from 0, of an offset in bytes.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.place(offset, Encoding::Utf8).0
    }
}
