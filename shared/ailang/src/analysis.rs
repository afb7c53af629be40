//! Answers about the documents of a package: what names mean, where they are used, and what may stand at a place.

mod rename;
mod suggestion;

pub use rename::{RenameEdit, RenameError};
use source_text::Span;
pub use suggestion::{Suggestion, ValueMember};

use crate::diagnostic::Diagnostic;
use crate::document::{Document, Example};
use crate::documents::Documents;
use crate::module::{Module, resolve};
use crate::names::{DocumentSymbols, Occurrence, Scope, Symbol, SymbolId, SymbolTable};
use crate::syntax::{Definition, ModuleReference};
use crate::validate::occurrence::occurrences;
use crate::validate::{Strictness, check};

/// The names of all documents of a package, resolved. It is valid for one state of the documents.
#[derive(Debug)]
pub struct Analysis<'a> {
    table: SymbolTable<'a>,
}

impl<'a> Analysis<'a> {
    /// Collects the names of all documents.
    pub fn new(documents: &'a Documents) -> Self {
        Self { table: SymbolTable::new(documents) }
    }

    /// Returns the mistakes in the document at `path`, as [`validate`](fn@crate::validate) does; none without such a
    /// document.
    pub fn diagnostics(&self, path: &str, strictness: Strictness) -> Vec<Diagnostic> {
        self.home(path).map(|home| check(&self.table, home, strictness)).unwrap_or_default()
    }

    /// Returns the places where the document at `path` names something, in order.
    ///
    /// Code that cannot be parsed has none. Members of values have some as far as the types of the values are known.
    pub fn occurrences(&self, path: &str) -> Vec<Occurrence> {
        self.home(path).map(|home| occurrences(&self.table, home)).unwrap_or_default()
    }

    /// Returns the occurrence at a place of the document at `path`, or the one that ends there.
    pub fn occurrence_at(&self, path: &str, offset: usize) -> Option<Occurrence> {
        let found = self.occurrences(path);
        let at = found.iter().filter(|it| it.span.start <= offset && offset <= it.span.end);
        // `{ name }` is a field too, and means the variable.
        at.max_by_key(|it| (it.span.start, !it.target.kind.is_member())).copied()
    }

    /// Returns the path of the document that defines a symbol; `None` for the prelude.
    pub fn path_of(&self, symbol: SymbolId) -> Option<&'a str> {
        self.table.documents.at(symbol.home).map(|(path, _)| path)
    }

    /// Returns the document that defines a symbol; perhaps the prelude.
    pub fn document_of(&self, symbol: SymbolId) -> Option<&'a Document> {
        self.table.document(symbol.home)
    }

    /// Returns the definition that a symbol is, or is a part of. Variables have none.
    pub fn definition_of(&self, symbol: SymbolId) -> Option<&'a Definition> {
        let document = self.document_of(symbol)?;
        let programs = document.examples.iter().map(|example| &example.program);
        let mut all = [&document.definitions].into_iter().chain(programs).flat_map(|it| it.definitions());
        all.find(|it| it.span.start <= symbol.span.start && symbol.span.end <= it.span.end)
    }

    /// Returns every occurrence of a symbol with the path of its document: in the one that defines it, and in those
    /// that import it, directly or not.
    pub fn uses_of(&self, symbol: SymbolId) -> Vec<(&'a str, Occurrence)> {
        let is_local = self.path_of(symbol).is_some_and(|_| symbol.kind.is_local());
        let readers = if is_local { Vec::new() } else { self.dependents(symbol.home) };
        let homes = [symbol.home].into_iter().chain(readers);
        let mut found = Vec::new();
        for home in homes {
            let Some((path, _)) = self.table.documents.at(home) else { continue };
            let here = occurrences(&self.table, home).into_iter().filter(|it| it.target == symbol);
            found.extend(here.map(|occurrence| (path, occurrence)));
        }
        found
    }

    /// Returns the paths of the documents that import the one at `path`, directly or not, in their blocks.
    pub fn importers(&self, path: &str) -> Vec<&'a str> {
        let homes = self.home(path).map(|home| self.dependents(home)).unwrap_or_default();
        homes.into_iter().filter_map(|home| self.table.documents.at(home)).map(|(path, _)| path).collect()
    }

    /// Returns the documents that may name what the document at `home` defines. All know the prelude.
    fn dependents(&self, home: usize) -> Vec<usize> {
        let count = self.table.documents.len();
        if home == self.table.prelude_home() {
            return (0..count).collect();
        }
        let edges: Vec<Vec<usize>> = (0..count).map(|at| self.imported(at)).collect();
        let mut is_reached = vec![false; count];
        let mut pending = vec![home];
        while let Some(target) = pending.pop() {
            for at in 0..count {
                if at != home && !is_reached[at] && edges[at].contains(&target) {
                    is_reached[at] = true;
                    pending.push(at);
                }
            }
        }
        (0..count).filter(|at| is_reached[*at]).collect()
    }

    /// Returns the documents that a document imports, in its definitions or its examples.
    fn imported(&self, home: usize) -> Vec<usize> {
        let Some((path, document)) = self.table.documents.at(home) else { return Vec::new() };
        let examples = document.examples.iter().flat_map(|example| example.program.imports());
        let modules = document.imports().chain(examples).map(|import| &import.module);
        let resolved = modules.map(|module| resolve(self.table.documents, path, module));
        let documents = resolved.filter_map(|module| match module {
            Module::Document(index) => Some(index),
            _ => None,
        });
        documents.collect()
    }

    /// Returns the path of the document that an import of the document at `path` means.
    pub fn module(&self, path: &str, reference: &ModuleReference) -> Option<&'a str> {
        match resolve(self.table.documents, path, reference) {
            Module::Document(index) => self.table.documents.at(index).map(|(path, _)| path),
            _ => None,
        }
    }

    /// Returns the definition that a name means at a place: that of an example, of the document, of an import, or of
    /// the prelude. A qualified name is `module.name`.
    pub fn resolve(&self, path: &str, offset: usize, name: &str) -> Option<(&'a Document, &'a Definition)> {
        let home = self.home(path)?;
        let local = self.local(home, offset);
        let scope = Scope { table: &self.table, home, local: &local };
        let symbol = match name.split_once('.') {
            None => scope.find(name)?,
            Some((module, name)) => match scope.find(module)? {
                Symbol::Module(home) => self.table.exported(home, name)?,
                _ => return None,
            },
        };
        match symbol {
            Symbol::Definition(definition, home) => Some((self.table.document(home)?, definition)),
            _ => None,
        }
    }

    fn home(&self, path: &str) -> Option<usize> {
        self.table.documents.index_of(path)
    }

    /// Returns the names that an example around a place defines and imports.
    fn local(&self, home: usize, offset: usize) -> Vec<DocumentSymbols<'a>> {
        let Some((_, document)) = self.table.documents.at(home) else { return Vec::new() };
        let Some(example) = example_at(document, offset) else { return Vec::new() };
        let imported = self.table.imported_by(home, &example.program);
        vec![imported, DocumentSymbols::defined(&example.program, home)]
    }
}

/// Returns the example around a place.
fn example_at(document: &Document, offset: usize) -> Option<&Example> {
    document.examples.iter().find(|it| contains(it.span, offset))
}

fn contains(span: Span, offset: usize) -> bool {
    span.start <= offset && offset < span.end.max(span.start + 1)
}
