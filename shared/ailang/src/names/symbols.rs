//! Symbol tables: the names that each document defines and imports, and the prelude.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use source_text::Span;

use super::import_graph::ImportGraph;
use crate::Document;
use crate::documents::{Documents, built_in_path};
use crate::module::{INDEX, Module, resolve};
use crate::syntax::{
    Definition, DefinitionKind, Import, ImportForm, Program, Type, TypeDefinition, TypeKind,
};

/// Returns the prelude: the types, errors and capabilities that need no import.
pub fn prelude() -> &'static Document {
    &PRELUDE
}

/// The document of the prelude.
pub(crate) static PRELUDE: LazyLock<Document> =
    LazyLock::new(|| Document::parse(include_str!("../prelude.md")));

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub enum Symbol<'a> {
    /// A definition, with the index of its document.
    Definition(&'a Definition, usize),
    /// A whole document, by index.
    Module(usize),
    /// An existing name without a known definition: part of a built-in module, or of a missing document that
    /// was reported.
    Opaque,
}

impl Symbol<'_> {
    /// Returns `true` for a tool.
    pub(crate) fn is_tool(&self) -> bool {
        matches!(self, Self::Definition(Definition { kind: DefinitionKind::Tool(_), .. }, _))
    }
}

/// The names of one document.
#[derive(Debug, Default)]
pub(crate) struct DocumentSymbols<'a> {
    pub(crate) symbols: HashMap<&'a str, Symbol<'a>>,
    /// The variants of the enums and unions among them.
    pub(crate) variants: HashSet<&'a str>,
    /// The place of each imported name.
    pub(crate) imports: HashMap<&'a str, Span>,
}

/// The names of all documents of a package.
#[derive(Debug)]
pub struct SymbolTable<'a> {
    /// The documents.
    pub documents: &'a Documents,
    /// The names by index of the document; the last is the prelude.
    names: Vec<DocumentSymbols<'a>>,
    pub(crate) imports: ImportGraph,
    /// The document that offers what all built-in modules define, if it is among the documents.
    index: Option<usize>,
}

impl<'a> SymbolTable<'a> {
    /// Collects the names of all documents.
    pub fn new(documents: &'a Documents) -> Self {
        let mut names: Vec<DocumentSymbols<'a>> = documents
            .iter()
            .enumerate()
            .map(|(home, (_, document))| DocumentSymbols::defined(&document.definitions, home))
            .collect();
        let index = documents.index_of(&built_in_path(INDEX));
        if let Some(index) = index
            && let Some((path, document)) = documents.at(index)
        {
            let offered = imports(documents, &names, path, document.imports());
            names[index].import(offered);
        }
        let imported: Vec<Vec<(&'a str, Span, Symbol<'a>)>> = documents
            .iter()
            .map(|(path, document)| imports(documents, &names, path, document.imports()))
            .collect();
        for (names, imported) in names.iter_mut().zip(imported) {
            names.import(imported);
        }
        names.push(DocumentSymbols::defined(&PRELUDE.definitions, documents.len()));
        Self { documents, names, imports: ImportGraph::new(documents), index }
    }

    /// Returns a document, or the prelude behind the last.
    pub(crate) fn document(&self, home: usize) -> Option<&'a Document> {
        let own = self.documents.at(home).map(|(_, document)| document);
        own.or_else(|| (home == self.prelude_home()).then_some(&*PRELUDE))
    }

    /// Returns the names of a document.
    pub(crate) fn names(&self, home: usize) -> &DocumentSymbols<'a> {
        &self.names[home]
    }

    /// Returns the index of the prelude.
    pub(crate) fn prelude_home(&self) -> usize {
        self.names.len() - 1
    }

    /// Returns the names of the prelude.
    pub(crate) fn prelude(&self) -> &DocumentSymbols<'a> {
        self.names.last().expect("the prelude was added")
    }

    /// Resolves a name in a document, then in the prelude.
    pub(crate) fn find(&self, home: usize, name: &str) -> Option<Symbol<'a>> {
        let here = self.names[home].symbols.get(name);
        here.or_else(|| self.prelude().symbols.get(name)).copied()
    }

    /// Resolves a name that a document defines itself; in the index of the built-in modules, that one of them does.
    pub(crate) fn exported(&self, home: usize, name: &str) -> Option<Symbol<'a>> {
        let symbol = self.names[home].symbols.get(name).copied()?;
        let Symbol::Definition(_, owner) = symbol else { return None };
        (owner == home || self.index == Some(home)).then_some(symbol)
    }

    /// Returns the names that a document offers to others.
    pub(crate) fn exports(&self, home: usize) -> impl Iterator<Item = &'a str> {
        let names = self.names[home].symbols.keys().copied();
        names.filter(move |name| !name.starts_with('_') && self.exported(home, name).is_some())
    }

    /// Returns the names that a program of the document at `home` imports.
    pub(crate) fn imported_by(&self, home: usize, program: &'a Program) -> DocumentSymbols<'a> {
        let mut names = DocumentSymbols::default();
        if let Some((path, _)) = self.documents.at(home) {
            names.import(imports(self.documents, &self.names, path, program.imports()));
        }
        names
    }
}

impl<'a> DocumentSymbols<'a> {
    /// Returns the definitions of a program of the document at `home`; the first of two with the same name.
    pub(crate) fn defined(program: &'a Program, home: usize) -> Self {
        let mut names = Self::default();
        for definition in program.definitions() {
            let symbol = Symbol::Definition(definition, home);
            names.symbols.entry(&definition.name.text).or_insert(symbol);
            names.variants.extend(variants(definition));
        }
        for name in &program.unread {
            names.symbols.entry(&name.text).or_insert(Symbol::Opaque);
        }
        names
    }

    fn import(&mut self, imported: Vec<(&'a str, Span, Symbol<'a>)>) {
        for (name, span, symbol) in imported {
            self.symbols.entry(name).or_insert(symbol);
            if let Symbol::Definition(definition, _) = symbol {
                self.variants.extend(variants(definition));
            }
            self.imports.entry(name).or_insert(span);
        }
    }
}

/// Returns the variants of an enum or a union.
fn variants(definition: &Definition) -> Vec<&str> {
    match &definition.kind {
        DefinitionKind::Enum(it) => it.variants.iter().map(|variant| variant.name.text.as_str()).collect(),
        DefinitionKind::Type(TypeDefinition { ty: Type { kind: TypeKind::Union(members), .. }, .. }) => {
            let has_payload = members.iter().any(|member| matches!(member.kind, TypeKind::Variant { .. }));
            members.iter().filter_map(|member| variant_name(member, has_payload)).collect()
        }
        DefinitionKind::Type(it) => variant_name(&it.ty, false).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns the variant in a member of a union. A bare name is one if another member has a payload.
fn variant_name(member: &Type, has_payload: bool) -> Option<&str> {
    match &member.kind {
        TypeKind::Variant { name, .. } => Some(&name.text),
        TypeKind::Named { path, arguments }
            if has_payload && arguments.is_empty() && path.qualifiers.is_empty() =>
        {
            Some(&path.name.text)
        }
        _ => None,
    }
}

/// Returns the names that imports of the document at `path` bring into scope.
fn imports<'a>(
    documents: &'a Documents,
    names: &[DocumentSymbols<'a>],
    path: &str,
    imports: impl Iterator<Item = &'a Import>,
) -> Vec<(&'a str, Span, Symbol<'a>)> {
    let mut imported = Vec::new();
    for import in imports {
        let module = resolve(documents, path, &import.module);
        match &import.form {
            ImportForm::Module(name) => {
                let symbol = match module {
                    Module::Document(index) => Symbol::Module(index),
                    _ => Symbol::Opaque,
                };
                imported.push((name.text.as_str(), name.span, symbol));
            }
            ImportForm::Names(items) => {
                for item in items {
                    let symbol = match module {
                        Module::Document(index) => names[index].symbols.get(item.name.text.as_str()).copied(),
                        _ => None,
                    };
                    let local = item.local();
                    imported.push((local.text.as_str(), local.span, symbol.unwrap_or(Symbol::Opaque)));
                }
            }
        }
    }
    imported
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Severity, Strictness, validate};

    #[test]
    fn the_prelude_is_beyond_reproach() {
        let mut documents = Documents::new();
        documents.insert("prelude.md", PRELUDE.clone());
        let found = validate(&documents, "prelude.md", Strictness::Strict).expect("it was added");
        let serious: Vec<_> = found.iter().filter(|it| it.severity > Severity::Info).collect();
        assert!(serious.is_empty(), "{serious:?}");
    }
}
