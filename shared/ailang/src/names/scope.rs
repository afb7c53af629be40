//! Where a name is looked up: type parameters, what an example defines, the document, the prelude.

use super::table::{Names, Symbol, World};
use crate::syntax::Path;

/// The types that are the language's own, and how many arguments they take.
pub(crate) const PRIMITIVES: &[(&str, usize)] = &[
    ("string", 0),
    ("number", 0),
    ("int", 0),
    ("bool", 0),
    ("boolean", 0),
    ("any", 0),
    ("void", 0),
    ("List", 1),
    ("Dict", 2),
    ("Map", 2),
];

/// How many arguments a type takes that is the language's own.
pub(crate) fn arity_of_primitive(name: &str) -> Option<usize> {
    PRIMITIVES.iter().find(|(known, _)| *known == name).map(|(_, arity)| *arity)
}

/// Where names are looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'s, 'a> {
    pub(crate) world: &'s World<'a>,
    /// The document.
    pub(crate) home: usize,
    /// What an example or a body defines or imports for itself, the innermost last.
    pub(crate) local: &'s [Names<'a>],
}

impl<'s, 'a> Scope<'s, 'a> {
    /// The scope of a document.
    pub(crate) fn of(world: &'s World<'a>, home: usize) -> Self {
        Self { world, home, local: &[] }
    }

    /// What a name without modules before it means.
    pub(crate) fn find(&self, name: &str) -> Option<Symbol<'a>> {
        let local = self.local.iter().rev().find_map(|names| names.symbols.get(name));
        local.copied().or_else(|| self.world.find(self.home, name))
    }

    /// What a path means.
    pub(crate) fn find_path(&self, path: &Path) -> Option<Symbol<'a>> {
        let Some((first, rest)) = path.qualifiers.split_first() else { return self.find(&path.name.text) };
        let mut symbol = self.find(&first.text)?;
        for name in rest.iter().chain([&path.name]) {
            symbol = match symbol {
                Symbol::Module(home) => self.world.exported(home, &name.text)?,
                Symbol::Opaque => Symbol::Opaque,
                Symbol::Definition(..) => return None,
            };
        }
        Some(symbol)
    }

    /// What a path means where a type stands. A tool may have the name of a type that is the language's own: `any`.
    pub(crate) fn find_type(&self, path: &Path) -> Option<Symbol<'a>> {
        let is_own = path.qualifiers.is_empty() && arity_of_primitive(&path.name.text).is_some();
        self.find_path(path).filter(|symbol| !is_own || !symbol.is_tool())
    }

    /// Every name that is known here, for suggestions.
    pub(crate) fn known(&self) -> Vec<(&'a str, Symbol<'a>)> {
        let here = self.world.names(self.home);
        let tables = self.local.iter().chain([here, self.world.prelude()]);
        tables.flat_map(|names| names.symbols.iter().map(|(name, symbol)| (*name, *symbol))).collect()
    }

    /// Whether something in scope has a variant of that name: an enum or a union.
    pub(crate) fn has_variant(&self, name: &str) -> bool {
        let here = self.world.names(self.home);
        let mut tables = self.local.iter().chain([here, self.world.prelude()]);
        tables.any(|names| names.variants.contains(name))
    }
}
