//! The printer and its options.

use crate::Document;

/// The comments that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Comments {
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
pub struct Printer<'a> {
    pub(super) document: &'a Document,
    pub(super) comments: Comments,
}

impl<'a> Printer<'a> {
    /// Returns a printer for the code of a document, with these of its comments.
    pub fn new(document: &'a Document, comments: Comments) -> Self {
        Self { document, comments }
    }
}
