//! The printer and its options.

use crate::Document;

/// The comments that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Comments {
    /// Only tags.
    Tags,
    /// Tags, and the first sentence about a tool.
    First,
    /// All comments except those about errors and in bodies.
    Most,
    /// All comments, and bodies.
    All,
}

/// A printer for the code of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer<'a> {
    pub(super) document: &'a Document,
    pub(super) comments: Comments,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(document: &'a Document, comments: Comments) -> Self {
        Self { document, comments }
    }
}
