//! Capabilities: permissions that the user grants for a scope.

use std::collections::BTreeSet;

use dialect::Requirement;

use crate::trust::{LONGEST_ASK, LONGEST_NAME, plain};

/// The lifetime of a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantScope {
    /// One call.
    Once,
    /// The rest of the session.
    Session,
    /// All sessions of the same workspace, until it is revoked.
    Persistent,
}

impl GrantScope {
    /// All scopes, the shortest first.
    pub const ALL: [Self; 3] = [Self::Once, Self::Session, Self::Persistent];

    /// Returns the scope as documents spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Persistent => "persistent",
        }
    }
}

/// The kind of access to the outside world, the least harmful first (ACP's `ToolKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CapabilityKind {
    /// Any other access.
    Other,
    /// Reads files.
    Read,
    /// Accesses the network.
    Fetch,
    /// Changes files.
    Edit,
    /// Deletes something.
    Delete,
    /// Runs a program.
    Execute,
}

impl CapabilityKind {
    /// Returns the kind as ACP spells it.
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

/// A permission that the user can grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// The id of the document and the name in it: `email-sender/SendEmail`. [`Requirement`]s refer to it.
    pub id: String,
    /// The question for the user; empty for a composed capability.
    pub ask: String,
    /// The scopes that the user can choose; a capability without any can never be granted.
    pub scopes: BTreeSet<GrantScope>,
    /// The kind of access.
    pub kind: CapabilityKind,
    /// The author of a third-party document; `None` for built-in ones.
    pub origin: Option<String>,
    /// The names of the parameters that narrow it: `paths`.
    pub parameters: Vec<String>,
    /// The capabilities that it is composed of, all of which have to be granted; empty for a simple one.
    pub parts: Vec<Requirement>,
}

impl Capability {
    /// Creates a built-in capability that can be granted for any scope.
    pub fn new(id: impl Into<String>, ask: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ask: ask.into(),
            scopes: GrantScope::ALL.into(),
            kind: CapabilityKind::Other,
            origin: None,
            parameters: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Creates a capability that stands for several: `capability Publish = Write & Upload`.
    pub fn composed(id: impl Into<String>, parts: Vec<Requirement>) -> Self {
        Self { parts, ..Self::new(id, "") }
    }

    /// Sets the scopes for which it can be granted.
    #[must_use]
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = GrantScope>) -> Self {
        self.scopes = scopes.into_iter().collect();
        self
    }

    /// Sets the kind of access.
    #[must_use]
    pub fn kind(mut self, kind: CapabilityKind) -> Self {
        self.kind = kind;
        self
    }

    /// Marks it as third-party, and truncates its words to the lengths that a question shows.
    #[must_use]
    pub fn foreign(self, origin: &str) -> Self {
        let ask = plain(&self.ask, LONGEST_ASK);
        Self { ask, origin: Some(plain(origin, LONGEST_NAME)), ..self }
    }

    /// Sets the names of the parameters that narrow it.
    #[must_use]
    pub(crate) fn parameters(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.parameters = names.into_iter().collect();
        self
    }
}
