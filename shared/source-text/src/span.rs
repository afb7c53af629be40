//! Spans: stretches of source text.

use std::ops::Range;

/// A stretch of source text: byte offsets from 0, the end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The offset in bytes of the first byte.
    pub start: usize,
    /// The offset in bytes just past the last byte; never before `start`.
    pub end: usize,
}

impl Span {
    /// Makes the span from `start` to `end`.
    ///
    /// # Panics
    /// If `end` is before `start`, which is a bug of the caller.
    pub fn new(start: usize, end: usize) -> Self {
        assert!(start <= end, "a span ends before it starts: {start}..{end}");
        Self { start, end }
    }

    /// Returns the smallest span that holds both.
    pub fn join(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Returns the span as a range, to index a string with.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}
