//! Markdown as a test format: documentation whose examples are cases.
//!
//! A heading names a case, under the headings above it. In it, fenced blocks are the case's inputs, up to a
//! block whose info string ends in `!`, which is what has to come out:
//!
//! ````md
//! ## A near miss names its neighbour
//!
//! ```dialect
//! findrefs(`User`)
//! ```
//!
//! ```failure!
//! no function is called `findrefs`
//! ```
//! ````
//!
//! Inputs before the first heading's first expectation that are marked `shared` in their info string
//! (```` ```world shared src/a.rs ````) belong to every later case of the file as well.
//!
//! [`cases`] reads a chapter's text, [`bless`] writes what came out into it. Both are pure. [`chapters`] reads a
//! folder of them, and [`Chapter::trials`] gives the tests of one.

#![warn(missing_docs)]

mod bless;
mod block;
mod case;
mod chapter;
mod trial;

pub use bless::bless;
pub use case::{Case, Expectation, Input, cases};
pub use chapter::{Chapter, chapters};
pub use trial::Actual;
