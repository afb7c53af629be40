//! Markdown as a test format: documentation whose examples are cases.
//!
//! A heading names a case, together with the headings above it. The fenced blocks below are its inputs, up to a block
//! whose info string ends in `!`, which is the expected outcome:
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
//! Inputs that are marked `shared` in their info string (```` ```world shared src/a.rs ````) belong to every later case
//! of the file as well.
//!
//! [`cases`] reads a chapter's text, and [`bless`] writes actual outcomes into it. Both are pure. [`chapters`] reads a
//! folder of chapters, and [`Chapter::trials`] makes the tests of one. [`trials!`] makes tests of functions, so that one
//! program has both: it is linked once, and its tests run beside each other.

#![warn(missing_docs)]

mod bless;
mod block;
mod case;
mod chapter;
mod functions;
mod trial;

pub use bless::bless;
pub use case::{Case, Expectation, Input, cases};
pub use chapter::{Chapter, chapters};
pub use functions::{Tested, function, is_long};
pub use trial::Actual;
