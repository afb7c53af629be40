//! Documents → code: types, validators, errors, capabilities and tools in other languages.
//!
//! A document becomes a [`Model`](model::Model), which every target prints. A generated validator accepts exactly the
//! values that [`Values::check`](crate::Values::check) accepts. All targets write generic types out for each use.

mod go;
mod hoisted;
mod identifiers;
mod json_schema;
mod lowered;
mod model;
mod options;
mod python;
mod rule;
mod rust;
mod target;
pub mod typescript;
mod vectors;
mod writer;

pub use options::{GenerateOptions, Language};
use source_text::Span;
pub use target::{DocumentErrors, Generated, GeneratedFile, generate};
pub use vectors::{Vectors, vectors};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};

/// Adds a warning about the whole document.
fn warn(diagnostics: &mut Diagnostics, code: Code, message: String) -> &mut Diagnostic {
    diagnostics.warning(code, Span::default(), message)
}
