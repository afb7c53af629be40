//! The size of a value, cached with its shared parts.

/// The extent of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Elements of the longest list in it.
    pub(crate) longest: usize,
    /// Values in each other.
    pub(crate) depth: usize,
    /// Functions in each other: each is in a value that the next one uses.
    pub(crate) functions: usize,
    /// About what it takes in memory, were nothing in it shared.
    pub(crate) bytes: usize,
}
