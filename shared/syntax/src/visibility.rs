//! The visibility of definitions, by the rules of their language.

use std::fmt;

/// The declared visibility of a definition. The definition around it may hide it all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Visible everywhere.
    Public,
    /// Visible in types that derive from its own.
    Protected,
    /// Visible in the package, crate, assembly or module around it.
    Package,
    /// Visible in its own file, type or block.
    Private,
}

impl Visibility {
    /// Returns the word: `public`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Protected => "protected",
            Self::Package => "package",
            Self::Private => "private",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        [Self::Public, Self::Protected, Self::Package, Self::Private].into_iter().find(|it| it.word() == word)
    }
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
