//! Name resolution in the documents of a package.

mod import_graph;
mod occurrence;
mod scope;
mod symbols;
mod view;

pub(crate) use import_graph::circular;
pub use occurrence::{Occurrence, OccurrenceKind, SymbolId};
pub(crate) use scope::{PRIMITIVES, Scope, arity_of_primitive};
pub use symbols::prelude;
pub(crate) use symbols::{DocumentSymbols, PRELUDE, Symbol, SymbolTable};
pub(crate) use view::{BoundType, Shape, TypeView};
