//! What is not ours is data: its words are quoted, cut and labelled before anybody reads them, and what its tables could
//! do to those of others is refused.

mod foreign;
mod plain;

pub use foreign::{Untrusted, foreign};
pub use plain::{plain, quoted, visible, visible_line};

/// The longest `ask`, in characters.
pub const LONGEST_ASK: usize = 200;

/// The longest name that is shown: of a capability, a function, a package, a value. In characters.
pub const LONGEST_NAME: usize = 80;

/// The longest advice of an error, in characters; its message is no longer.
pub const LONGEST_RECOVERY: usize = 500;

/// The longest summary, in characters.
pub const LONGEST_SUMMARY: usize = 200;

/// The longest documentation beyond the summary, in characters.
pub const LONGEST_DOCS: usize = 2_000;

/// The longest signature and example, in characters. They are not cut, since what was cut means something else.
pub const LONGEST_CODE: usize = 2_000;
