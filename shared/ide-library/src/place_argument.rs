//! Arguments of functions that take a name as well as a place: `findDefinitions`, `lines`.

use ide_protocol::{FileRange, Location};
use serde::Deserialize;

use crate::selection::Selection;
use crate::symbol::{PastedDefinition, Symbol};

/// An argument, by its form. There is a variant for each type in the signature.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum PlaceArgument {
    /// A name or a place: `` `User` ``, `` `src/auth.rs:12` ``.
    Text(String),
    /// A result of `findDefinitions`.
    Definition(Box<PastedDefinition>),
    /// A result of `getSelection`.
    Selection(Selection),
    /// A result of `findReferences`, `search` or `lines`.
    Range(FileRange),
    /// A symbol: ``symbol(`User`, path=`src/a.rs`, line=12)``.
    Symbol(Symbol),
    /// A location: ``location(`src/a.rs`, 12, 5)``.
    Location(Location),
}
