//! Upper bounds that keep time and stack finite on hostile input.

/// The largest document that is read, in bytes.
pub const LARGEST_DOCUMENT: usize = 4 << 20;

/// The deepest nesting of types, blocks and expressions in code.
pub(crate) const DEEPEST_CODE: usize = 200;

/// The deepest nesting of JSON values and of the types that they are checked against.
pub(crate) const DEEPEST_VALUE: usize = 200;
