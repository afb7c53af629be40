//! What a function was given where it takes a name as well as a place: `findDefinitions`, `lines`.

use ide_protocol::{FileRange, Location};
use serde::Deserialize;

use crate::selection::Selection;
use crate::symbol::{PastedDefinition, Symbol};

/// What a function was given, by its form: each of the types that its signature names.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Given {
    /// `` `User` ``, `` `src/auth.rs:12` ``
    Text(String),
    /// What `findDefinitions` gives.
    Definition(Box<PastedDefinition>),
    /// What `getSelection` gives.
    Selection(Selection),
    /// What `findReferences`, `search` and `lines` give.
    Range(FileRange),
    /// ``symbol(`User`, path=`src/a.rs`, line=12)``
    Symbol(Symbol),
    /// ``location(`src/a.rs`, 12, 5)``
    Location(Location),
}
