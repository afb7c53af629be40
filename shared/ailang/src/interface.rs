//! Interfaces: documents → the rows of Dialect's tables.
//!
//! An extension provides documents, and code for each name that they declare. The rows come from the
//! documents, so that nothing is declared twice. Combining both fails where they differ.

mod below;
mod library;
mod load;
mod prelude;
mod synthesize;
mod tables;
mod thrown;

pub use library::{Implementation, Mismatch};
pub use load::InvalidDocuments;
pub use synthesize::synthesize;
pub use tables::Interface;
