//! The limits of a line.

/// The maximum length of a line, in bytes. A longer one is answered with an error and is not kept.
pub const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// The maximum number of JSON values of a line. Each takes about a hundred bytes of memory, and several copies pass
/// through a chain.
pub const MOST_VALUES: usize = 1_000_000;
