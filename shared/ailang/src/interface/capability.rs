//! Capabilities: what is asked of the user, and for how long he may say yes.

use std::collections::BTreeSet;

use dialect::Requirement;

use crate::Document;
use crate::documents::Documents;
use crate::lower::Lowering;
use crate::names::{PRELUDE, World};

/// How long a permission holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// For one call.
    Once,
    /// Until the session ends.
    Session,
    /// Until it is revoked.
    Persistent,
}

impl Scope {
    /// All of them, the shortest first.
    pub const ALL: [Self; 3] = [Self::Once, Self::Session, Self::Persistent];

    /// As documents spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Persistent => "persistent",
        }
    }
}

/// A capability that a document declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// The id of the document, and its name there: `email-sender/SendEmail`. Rows require it by this.
    pub id: String,
    /// What the user is asked; empty of one that is composed.
    pub ask: String,
    /// The scopes that he may choose from; without any it can never be granted.
    pub scopes: BTreeSet<Scope>,
    /// The names of what it may be narrowed by: `paths`.
    pub parameters: Vec<String>,
    /// What it is composed of, all of which have to be granted; empty of one that is not.
    pub parts: Vec<Requirement>,
}

impl Capability {
    /// Those that every document knows: `prelude/NetworkAccess`.
    pub fn prelude() -> Vec<Self> {
        let documents = Documents::new();
        let world = World::new(&documents);
        let lowering = Lowering::new(&world);
        let prelude: &Document = &PRELUDE;
        let home = world.prelude_home();
        prelude.definitions().filter_map(|definition| lowering.capability(definition, home)).collect()
    }
}
