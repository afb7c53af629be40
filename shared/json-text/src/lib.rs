//! Scanning of JSON text that may be broken or cut off, without reading it into values: its brackets and strings, the
//! outermost members of a message, and the escapes of characters.

#![warn(missing_docs)]

mod brackets;
mod envelope;
mod escapes;

pub use brackets::{Brackets, text_length};
pub use envelope::Envelope;
pub use escapes::{Escape, replace_escapes};
