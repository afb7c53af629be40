//! From where a definition may be used, by its own language's rule.

use std::fmt;

/// From where a definition may be used, as far as its own words say: whatever it lies in may hide it all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// From everywhere.
    Public,
    /// From types that derive from its own.
    Protected,
    /// From the package, crate, assembly or module around it.
    Package,
    /// From its own file, type or block.
    Private,
}

impl Visibility {
    /// The word for it: `public`.
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
