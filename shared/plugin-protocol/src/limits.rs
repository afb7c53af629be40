//! The bounds of what a peer may send, each with its name.

/// The bounds of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of one message. A longer one is read to its end and dropped, and the call that it answers
    /// fails.
    pub message_bytes: usize,
    /// The open brackets of one message.
    pub depth: usize,
    /// The lines in a row that are no message, after which the connection ends.
    pub bad_lines: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { message_bytes: 64 << 20, depth: 10_000, bad_lines: 100_000 }
    }
}

/// The depth of lists and dicts in one value. Each takes two brackets, and the message needs some of its own.
pub const VALUE_DEPTH: usize = 4_900;

/// The bytes kept of a message that cannot be read, to find its id and to show it.
pub(crate) const HEAD_BYTES: usize = 4096;

/// The characters of a bad line that a message about it shows.
pub(crate) const EXCERPT_CHARS: usize = 160;
