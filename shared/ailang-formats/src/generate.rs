//! Documents → code: types, validators, errors, capabilities and tools in other languages.
//!
//! A document becomes a [`Model`](model::Model), which every target prints. A generated validator accepts
//! exactly the values that [`Values::check`](ailang::Values::check) accepts. All targets write generic types
//! out for each use.

mod dispatch;
mod go;
mod helpers;
mod hoisted;
mod identifiers;
mod json_schema;
mod literal;
mod lowered;
mod model;
mod options;
mod python;
mod rule;
mod rust;
mod target;
pub mod typescript;
mod writer;

pub use dispatch::generate;
pub use options::{GenerateOptions, Language};
pub use target::{DocumentErrors, Generated, GeneratedFile};
