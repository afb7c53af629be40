//! Names that may stand at a place.

use super::Analysis;
use crate::document::Document;
use crate::names::{BoundType, Scope, Symbol, arity_of_primitive};
use crate::syntax::{Definition, DefinitionKind, TypeDefinition};
use crate::validate::{KNOWN, applies, applies_to_primitive};

/// A name that may stand at a place.
#[derive(Clone, Copy, Debug)]
pub struct Suggestion<'a> {
    /// The name in this scope; perhaps an alias.
    pub name: &'a str,
    /// The definition with its document; `None` for a module, and for a name that is known alone.
    pub definition: Option<(&'a Document, &'a Definition)>,
}

impl<'a> Analysis<'a> {
    /// Returns every name that the document at `path` knows at a place, by name.
    pub fn names_at(&self, path: &str, offset: usize) -> Vec<Suggestion<'a>> {
        let Some(home) = self.home(path) else { return Vec::new() };
        let local = self.local(home, offset);
        let scope = Scope { table: &self.table, home, local: &local };
        let mut names = scope.known();
        // The innermost name is first, and the sort is stable.
        names.sort_by_key(|(name, _)| *name);
        names.dedup_by_key(|(name, _)| *name);
        names.into_iter().map(|(name, symbol)| self.suggestion(name, symbol)).collect()
    }

    /// Returns what stands behind `name.`: the definitions of a module, or the variants of an enum.
    pub fn members_of(&self, path: &str, offset: usize, name: &str) -> Vec<Suggestion<'a>> {
        let Some(home) = self.home(path) else { return Vec::new() };
        let local = self.local(home, offset);
        let scope = Scope { table: &self.table, home, local: &local };
        match scope.find(name) {
            Some(Symbol::Module(home)) => self.exports(home),
            Some(Symbol::Definition(Definition { kind: DefinitionKind::Enum(it), .. }, _)) => {
                let variants = it.variants.iter().map(|variant| variant.name.text.as_str());
                variants.map(|name| Suggestion { name, definition: None }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the definitions that the document at `path` exports.
    pub fn exports_of(&self, path: &str) -> Vec<Suggestion<'a>> {
        self.home(path).map(|home| self.exports(home)).unwrap_or_default()
    }

    /// Returns the refinements that a type takes, with the words for their arguments. The type is a name.
    pub fn refinements_of(&self, path: &str, name: &str) -> Vec<(&'static str, &'static str)> {
        let Some(home) = self.home(path) else { return Vec::new() };
        let fits: Vec<_> = match self.table.find(home, name) {
            Some(Symbol::Definition(definition, home)) => match &definition.kind {
                DefinitionKind::Type(TypeDefinition { ty, .. }) => {
                    let shape = BoundType::new(ty, Scope::new(&self.table, home)).view().shape;
                    KNOWN.iter().filter(|it| applies(it, &shape)).collect()
                }
                _ => KNOWN.iter().filter(|it| it.name == "default").collect(),
            },
            _ if arity_of_primitive(name).is_some() => {
                KNOWN.iter().filter(|it| applies_to_primitive(it, name)).collect()
            }
            _ => Vec::new(),
        };
        fits.into_iter().map(|it| (it.name, it.words())).collect()
    }

    fn exports(&self, home: usize) -> Vec<Suggestion<'a>> {
        let names = self.table.exports(home);
        let mut found: Vec<_> =
            names.filter_map(|name| Some(self.suggestion(name, self.table.exported(home, name)?))).collect();
        found.sort_by_key(|it| it.name);
        found
    }

    fn suggestion(&self, name: &'a str, symbol: Symbol<'a>) -> Suggestion<'a> {
        let definition = match symbol {
            Symbol::Definition(definition, home) => {
                self.table.document(home).map(|document| (document, definition))
            }
            Symbol::Module(_) | Symbol::Opaque => None,
        };
        Suggestion { name, definition }
    }
}
