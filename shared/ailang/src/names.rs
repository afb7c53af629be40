//! What names mean in the documents of a package.

mod scope;
mod table;
mod view;

pub(crate) use scope::Scope;
pub(crate) use table::{Names, PRELUDE, Symbol, World};
pub(crate) use view::{Bound, Shape, View};
