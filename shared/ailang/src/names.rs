//! What names mean in the documents of a package.

mod circle;
mod scope;
mod table;
mod view;

pub(crate) use scope::{PRIMITIVES, Scope, arity_of_primitive};
pub use table::prelude;
pub(crate) use table::{Names, PRELUDE, Symbol, World};
pub(crate) use view::{Bound, Shape, View};
