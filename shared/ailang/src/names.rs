//! Name resolution in the documents of a package.
//!
//! A document is meant by its index in [`Documents`](crate::Documents); the prelude has the one behind the
//! last. Any other index panics.

mod import_graph;
mod occurrence;
mod scope;
mod symbols;
mod view;

pub(crate) use import_graph::circular;
pub use occurrence::{Occurrence, OccurrenceKind, SymbolId};
pub(crate) use scope::PRIMITIVES;
pub use scope::{Scope, arity_of_primitive};
pub(crate) use symbols::{DocumentSymbols, PRELUDE};
pub use symbols::{Symbol, SymbolTable, prelude};
pub(crate) use view::{BoundType, Shape, TypeView};
