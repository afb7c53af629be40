//! Capabilities: what is asked of the user, and for how long he may say yes.

use std::collections::BTreeSet;

use dialect::Requirement;

use crate::Document;
use crate::documents::Documents;
use crate::lower::Lowering;
use crate::names::{PRELUDE, World};
use crate::trust::{LONGEST_ASK, LONGEST_NAME, plain};

/// How long a permission holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// For one call.
    Once,
    /// Until the session ends.
    Session,
    /// Until it is revoked, in sessions of the same workspace.
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

/// What is done to the world, as editors tell it apart. The gravest comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Something else.
    Other,
    /// Looks at files.
    Read,
    /// Reaches the network.
    Fetch,
    /// Changes files.
    Edit,
    /// Removes something.
    Delete,
    /// Runs a program.
    Execute,
}

impl Kind {
    /// As ACP spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Read => "read",
            Self::Fetch => "fetch",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Execute => "execute",
        }
    }
}

/// A permission that can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// The id of the document, and its name there: `email-sender/SendEmail`. Rows require it by this.
    pub id: String,
    /// What the user is asked; empty of one that is composed.
    pub ask: String,
    /// The scopes that he may choose from; without any it can never be granted.
    pub scopes: BTreeSet<Scope>,
    /// What it does to the world.
    pub kind: Kind,
    /// Whose document it is, when it is not ours.
    pub origin: Option<String>,
    /// The names of what it may be narrowed by: `paths`.
    pub parameters: Vec<String>,
    /// What it is composed of, all of which have to be granted; empty of one that is not.
    pub parts: Vec<Requirement>,
}

impl Capability {
    /// One of ours that may be granted for any scope.
    pub fn new(id: impl Into<String>, ask: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ask: ask.into(),
            scopes: Scope::ALL.into(),
            kind: Kind::Other,
            origin: None,
            parameters: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// A name for all of several together: `capability Publish = Write & Upload`.
    pub fn composed(id: impl Into<String>, parts: Vec<Requirement>) -> Self {
        Self { parts, ..Self::new(id, "") }
    }

    /// The same with the scopes that may be granted.
    #[must_use]
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = Scope>) -> Self {
        self.scopes = scopes.into_iter().collect();
        self
    }

    /// The same with what it does to the world.
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// The same of somebody else, whose words are cut to what a question can show.
    #[must_use]
    pub fn foreign(self, origin: &str) -> Self {
        let ask = plain(&self.ask, LONGEST_ASK);
        Self { ask, origin: Some(plain(origin, LONGEST_NAME)), ..self }
    }

    /// The same with the names of what it may be narrowed by.
    #[must_use]
    pub(crate) fn parameters(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.parameters = names.into_iter().collect();
        self
    }

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
