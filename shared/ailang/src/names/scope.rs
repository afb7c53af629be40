//! Scopes: local definitions, then the document, then the prelude.

use super::symbols::{DocumentSymbols, Symbol, SymbolTable};
use crate::syntax::Path;

/// The primitive types with the number of their type arguments.
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

/// Returns the number of type arguments of a primitive type; `None` for any other name.
pub fn arity_of_primitive(name: &str) -> Option<usize> {
    PRIMITIVES.iter().find(|(known, _)| *known == name).map(|(_, arity)| *arity)
}

/// The scope of a name.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'s, 'a> {
    pub(crate) table: &'s SymbolTable<'a>,
    /// The index of the document.
    pub(crate) home: usize,
    /// The definitions and imports of an example or a body, the innermost last.
    pub(crate) local: &'s [DocumentSymbols<'a>],
}

impl<'s, 'a> Scope<'s, 'a> {
    /// Returns the scope of the document at the index `home`.
    pub fn new(table: &'s SymbolTable<'a>, home: usize) -> Self {
        Self { table, home, local: &[] }
    }

    /// Resolves a name without qualifiers; `None` if nothing is called so.
    pub fn find(&self, name: &str) -> Option<Symbol<'a>> {
        let local = self.local.iter().rev().find_map(|names| names.symbols.get(name));
        local.copied().or_else(|| self.table.find(self.home, name))
    }

    /// Resolves a path; `None` if it leads to nothing.
    pub fn find_path(&self, path: &Path) -> Option<Symbol<'a>> {
        let Some((first, rest)) = path.qualifiers.split_first() else { return self.find(&path.name.text) };
        let mut symbol = self.find(&first.text)?;
        for name in rest.iter().chain([&path.name]) {
            symbol = match symbol {
                Symbol::Module(home) => self.table.exported(home, &name.text)?,
                Symbol::Opaque => Symbol::Opaque,
                Symbol::Definition(..) => return None,
            };
        }
        Some(symbol)
    }

    /// Resolves a path in the position of a type. A primitive type such as `any` shadows a tool of the same
    /// name.
    pub(crate) fn find_type(&self, path: &Path) -> Option<Symbol<'a>> {
        let is_own = path.qualifiers.is_empty() && arity_of_primitive(&path.name.text).is_some();
        self.find_path(path).filter(|symbol| !is_own || !symbol.is_tool())
    }

    /// Returns every name in scope, for suggestions.
    pub(crate) fn known(&self) -> Vec<(&'a str, Symbol<'a>)> {
        let here = self.table.names(self.home);
        let tables = self.local.iter().chain([here, self.table.prelude()]);
        tables.flat_map(|names| names.symbols.iter().map(|(name, symbol)| (*name, *symbol))).collect()
    }

    /// Returns `true` if an enum or a union in scope has a variant of that name.
    pub(crate) fn has_variant(&self, name: &str) -> bool {
        let here = self.table.names(self.home);
        let mut tables = self.local.iter().chain([here, self.table.prelude()]);
        tables.any(|names| names.variants.contains(name))
    }
}
