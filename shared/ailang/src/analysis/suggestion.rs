//! Names that may stand at a place.

use super::Analysis;
use crate::document::Document;
use crate::names::{BoundType, Scope, Symbol, SymbolTable, arity_of_primitive};
use crate::syntax::{Definition, DefinitionKind, Member, MemberKind, TypeDefinition};
use crate::validate::member::{Members, members_at};
use crate::validate::{DICT_METHODS, KNOWN, LIST_METHODS, TEXT_METHODS, applies, applies_to_primitive};

/// A name that may stand at a place.
#[derive(Clone, Copy, Debug)]
pub struct Suggestion<'a> {
    /// The name in this scope; perhaps an alias.
    pub name: &'a str,
    /// The definition with its document; `None` for a module, and for a name that is known alone.
    pub definition: Option<(&'a Document, &'a Definition)>,
}

/// A member of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueMember {
    /// The name.
    pub name: String,
    /// The declaration, or the call of a built-in method.
    pub declaration: String,
    /// The comment of the declaration.
    pub documentation: String,
    /// `true` for what is called.
    pub is_method: bool,
}

/// The name that stands for the one that is not typed yet.
const PLACEHOLDER: &str = "member";

impl<'a> Analysis<'a> {
    /// Returns the members of the value before the `.` at `offset - 1` of the document at `path`, as far as its type is
    /// known. A name may stand behind the `.` already.
    pub fn members_of_value(&self, path: &str, offset: usize) -> Vec<ValueMember> {
        let Some(document) = self.table.documents.get(path) else { return Vec::new() };
        let Some((before, after)) = document.source.split_at_checked(offset) else { return Vec::new() };
        let is_typed = after.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
        let mut documents = self.table.documents.clone();
        if !is_typed {
            documents.insert(path, Document::parse(format!("{before}{PLACEHOLDER}{after}")));
        }
        let table = SymbolTable::new(&documents);
        let Some(home) = documents.index_of(path) else { return Vec::new() };
        match members_at(&table, home, offset) {
            Members::Struct(members, home) => {
                let home = table.document(home);
                members.iter().filter_map(|member| Some(of_member(home?, member))).collect()
            }
            Members::List => of_built_in(LIST_METHODS),
            Members::Text => of_built_in(TEXT_METHODS),
            Members::Dict => of_built_in(DICT_METHODS),
            Members::Unknown => Vec::new(),
        }
    }

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

fn of_member(home: &Document, member: &Member) -> ValueMember {
    ValueMember {
        name: member.name.text.clone(),
        declaration: home.text(member.span).trim().to_owned(),
        documentation: member.documentation.text.trim().to_owned(),
        is_method: matches!(member.kind, MemberKind::Method { .. }),
    }
}

/// Returns built-in members; a declaration without parentheses is a field.
fn of_built_in(declarations: &[&str]) -> Vec<ValueMember> {
    let member = |declaration: &&str| ValueMember {
        name: declaration.split(['(', ':']).next().unwrap_or_default().to_owned(),
        declaration: (*declaration).to_owned(),
        documentation: String::new(),
        is_method: declaration.contains('('),
    };
    declarations.iter().map(member).collect()
}
