//! Third-party libraries as data: their words are quoted, truncated and labelled, and rows that affect others
//! are refused.

mod foreign;
mod lengths;
mod plain;

pub use foreign::{Untrusted, foreign};
pub use lengths::{LONGEST_ASK, LONGEST_CODE, LONGEST_DOCS, LONGEST_NAME, LONGEST_RECOVERY, LONGEST_SUMMARY};
pub use plain::{plain, quoted};
pub use source_text::{visible, visible_line};
