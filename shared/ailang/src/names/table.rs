//! The names of each document: what it defines, what it imports, and what every document knows.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use source_text::Span;

use super::circle::Imports;
use crate::Document;
use crate::documents::Documents;
use crate::module::{Module, resolve};
use crate::syntax::{
    Definition, DefinitionKind, Import, ImportForm, Program, Type, TypeDefinition, TypeKind,
};

/// What every document knows: the types, errors and capabilities that need no import.
pub fn prelude() -> &'static Document {
    &PRELUDE
}

/// The document that says so.
pub(crate) static PRELUDE: LazyLock<Document> =
    LazyLock::new(|| Document::parse(include_str!("../prelude.md")));

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Symbol<'a> {
    /// A definition, and the index of the document that it stands in.
    Definition(&'a Definition, usize),
    /// All of another document.
    Module(usize),
    /// Something that is known to be there, and nothing else of it: a part of a built-in module, or of a document
    /// that is missing, which has been reported.
    Opaque,
}

impl Symbol<'_> {
    /// Whether it is a tool.
    pub(crate) fn is_tool(&self) -> bool {
        matches!(self, Self::Definition(Definition { kind: DefinitionKind::Tool(_), .. }, _))
    }
}

/// The names of one document.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    pub(crate) symbols: HashMap<&'a str, Symbol<'a>>,
    /// The variants of the enums and unions among them.
    pub(crate) variants: HashSet<&'a str>,
    /// Where each imported name stands.
    pub(crate) imports: HashMap<&'a str, Span>,
}

/// All documents of a package with their names.
#[derive(Debug)]
pub(crate) struct World<'a> {
    pub(crate) documents: &'a Documents,
    /// By the index of the document; the last is the prelude.
    names: Vec<Names<'a>>,
    pub(crate) imports: Imports,
}

impl<'a> World<'a> {
    /// Reads the names of all documents.
    pub(crate) fn new(documents: &'a Documents) -> Self {
        let mut names: Vec<Names<'a>> = documents
            .iter()
            .enumerate()
            .map(|(home, (_, document))| Names::defined(&document.definitions, home))
            .collect();
        let imported: Vec<Vec<(&'a str, Span, Symbol<'a>)>> = documents
            .iter()
            .map(|(path, document)| imports(documents, &names, path, document.imports()))
            .collect();
        for (names, imported) in names.iter_mut().zip(imported) {
            names.import(imported);
        }
        names.push(Names::defined(&PRELUDE.definitions, documents.len()));
        Self { documents, names, imports: Imports::of(documents) }
    }

    /// The names of a document.
    pub(crate) fn names(&self, home: usize) -> &Names<'a> {
        &self.names[home]
    }

    /// The index of the prelude.
    pub(crate) fn prelude_home(&self) -> usize {
        self.names.len() - 1
    }

    /// What every document knows.
    pub(crate) fn prelude(&self) -> &Names<'a> {
        self.names.last().expect("the prelude was added")
    }

    /// What a name means in a document, or else everywhere.
    pub(crate) fn find(&self, home: usize, name: &str) -> Option<Symbol<'a>> {
        let here = self.names[home].symbols.get(name);
        here.or_else(|| self.prelude().symbols.get(name)).copied()
    }

    /// What a document defines under that name.
    pub(crate) fn exported(&self, home: usize, name: &str) -> Option<Symbol<'a>> {
        let symbol = self.names[home].symbols.get(name).copied()?;
        matches!(symbol, Symbol::Definition(_, owner) if owner == home).then_some(symbol)
    }

    /// The names that a program of the document at `home` imports for itself.
    pub(crate) fn imported_by(&self, home: usize, program: &'a Program) -> Names<'a> {
        let mut names = Names::default();
        if let Some((path, _)) = self.documents.at(home) {
            names.import(imports(self.documents, &self.names, path, program.imports()));
        }
        names
    }
}

impl<'a> Names<'a> {
    /// What a program of the document at `home` defines; of two with the same name the first.
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

/// The variants of an enum or a union.
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

/// The variant that a member of a union is; a bare name is one where another member carries something.
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

/// What the imports of the document at `path` make known.
fn imports<'a>(
    documents: &'a Documents,
    names: &[Names<'a>],
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
