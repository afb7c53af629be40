//! The state of lowering: the documents, and the diagnostics so far.

use std::collections::HashMap;
use std::rc::Rc;

use source_text::{Severity, Span};

use super::kept::{CircularNames, KeptNames};
use crate::Document;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::names::{PRELUDE, Scope, SymbolTable};
use crate::syntax::Definition;

/// A pass that lowers the definitions of all documents.
#[derive(Debug)]
pub struct Lowering<'s, 'a> {
    pub(super) table: &'s SymbolTable<'a>,
    /// The diagnostics, by index of the document.
    diagnostics: HashMap<usize, Diagnostics>,
    /// The definitions that are being expanded, the outermost first.
    pub(super) open: Vec<&'a Definition>,
    /// The number of types that were created for the current definition.
    pub(super) made: usize,
    /// The types that keep their names.
    pub(super) kept: KeptNames<'a>,
    /// The types that have names in any pass.
    pub(super) circular: Rc<CircularNames>,
}

impl<'s, 'a> Lowering<'s, 'a> {
    /// Starts a pass that expands the names of types, except for structs and for types that contain themselves.
    pub fn new(table: &'s SymbolTable<'a>) -> Self {
        let circular = Rc::new(CircularNames::new(table));
        let kept = KeptNames::circular(&circular);
        Self { table, diagnostics: HashMap::new(), open: Vec::new(), made: 0, kept, circular }
    }

    /// Ends the pass. Returns what could not be expressed, by the index of the document, in order.
    pub fn into_diagnostics(self) -> impl Iterator<Item = (usize, Vec<Diagnostic>)> {
        let mut diagnostics: Vec<_> = self
            .diagnostics
            .into_iter()
            .map(|(home, diagnostics)| (home, diagnostics.into_sorted()))
            .collect();
        diagnostics.sort_by_key(|(home, _)| *home);
        diagnostics.into_iter()
    }

    fn report(
        &mut self,
        home: usize,
        severity: Severity,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.diagnostics.entry(home).or_default().report(severity, code, span, message)
    }

    pub(crate) fn error(
        &mut self,
        home: usize,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.report(home, Severity::Error, code, span, message)
    }

    pub(super) fn warning(
        &mut self,
        home: usize,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.report(home, Severity::Warning, code, span, message)
    }

    /// Adds a warning about a place of the document at an index.
    pub fn warn(&mut self, home: usize, code: Code, span: Span, message: String) {
        self.warning(home, code, span, message);
    }

    /// Returns the scope of the document at an index.
    pub fn scope(&self, home: usize) -> Scope<'s, 'a> {
        Scope::new(self.table, home)
    }

    /// Returns the index of the prelude.
    pub fn prelude_home(&self) -> usize {
        self.table.prelude_home()
    }

    /// Returns the document at an index; the prelude behind the last.
    pub fn document(&self, home: usize) -> &'a Document {
        self.table.documents.at(home).map_or(&PRELUDE, |(_, document)| document)
    }
}
