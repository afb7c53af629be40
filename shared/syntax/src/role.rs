//! The roles of names.

use std::fmt;

/// The role of a name at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The name is called, invoked as a macro, or applied as a decorator.
    Call,
    /// A value of the named type is made by syntax of its own: `new X()`, `X { … }`.
    Construct,
    /// The name is imported, used or re-exported.
    Import,
    /// The value of the name is read or passed on.
    Read,
    /// The name is assigned to.
    Write,
    /// The name is used as a type.
    Type,
    /// The named type is implemented, extended or derived from.
    Implementation,
    /// The name is mentioned in documentation.
    Documentation,
    /// The name is mentioned in a comment that is no documentation.
    Comment,
    /// The name is mentioned in a string.
    String,
    /// The name is defined or declared here.
    Definition,
}

impl Role {
    const ALL: [Self; 11] = [
        Self::Call,
        Self::Construct,
        Self::Import,
        Self::Read,
        Self::Write,
        Self::Type,
        Self::Implementation,
        Self::Documentation,
        Self::Comment,
        Self::String,
        Self::Definition,
    ];

    /// Returns the word: `call`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Construct => "construct",
            Self::Import => "import",
            Self::Read => "read",
            Self::Write => "write",
            Self::Type => "type",
            Self::Implementation => "implementation",
            Self::Documentation => "documentation",
            Self::Comment => "comment",
            Self::String => "string",
            Self::Definition => "definition",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// Returns true where its code runs: where it is called or constructed.
    pub fn is_call(self) -> bool {
        matches!(self, Self::Call | Self::Construct)
    }

    /// Returns true for mentions in text that no compiler reads.
    pub fn is_mention(self) -> bool {
        matches!(self, Self::Documentation | Self::Comment | Self::String)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
