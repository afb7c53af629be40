//! The maximum lengths of third-party words, in characters.

/// The maximum length of `ask`, in characters.
pub const LONGEST_ASK: usize = 200;

/// The maximum length of a name of a capability, a function, a package or a value, in characters.
pub const LONGEST_NAME: usize = 80;

/// The maximum length of an error's message and of its advice, in characters.
pub const LONGEST_RECOVERY: usize = 500;

/// The maximum length of a summary, in characters.
pub const LONGEST_SUMMARY: usize = 200;

/// The maximum length of documentation beyond the summary, in characters.
pub const LONGEST_DOCS: usize = 2_000;

/// The maximum length of a signature or an example, in characters. Longer ones are refused, not truncated.
pub const LONGEST_CODE: usize = 2_000;
