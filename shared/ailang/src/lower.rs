//! Documents → rows: what tools, types, errors and capabilities are to programs.

mod capability;
mod effect;
mod example;
mod failure;
mod literal;
mod record;
mod refinement;
mod tool;
mod types;

use std::collections::HashMap;

use source_text::{Severity, Span};

use crate::Document;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::names::{PRELUDE, Scope, World};
use crate::syntax::{Definition, DefinitionKind};

pub(crate) use literal::number;
pub(crate) use refinement::lowered;
pub(crate) use tool::Callable;

/// Whether programs know it by its name: a tool, or a struct.
pub(crate) fn is_registered(definition: &Definition) -> bool {
    match &definition.kind {
        DefinitionKind::Tool(_) => true,
        DefinitionKind::Type(it) => record::is_record(it),
        _ => false,
    }
}

/// Lowers the definitions of all documents.
#[derive(Debug)]
pub(crate) struct Lowering<'s, 'a> {
    world: &'s World<'a>,
    /// What is told, by the index of the document.
    told: HashMap<usize, Diagnostics>,
    /// The definitions that are being written out, the outermost first.
    open: Vec<&'a Definition>,
    /// How many types were made for the definition at hand.
    made: usize,
}

impl<'s, 'a> Lowering<'s, 'a> {
    pub(crate) fn new(world: &'s World<'a>) -> Self {
        Self { world, told: HashMap::new(), open: Vec::new(), made: 0 }
    }

    /// What was told, by document.
    pub(crate) fn into_told(self) -> impl Iterator<Item = (usize, Vec<Diagnostic>)> {
        let mut told: Vec<_> = self.told.into_iter().map(|(home, told)| (home, told.into_sorted())).collect();
        told.sort_by_key(|(home, _)| *home);
        told.into_iter()
    }

    fn tell(
        &mut self,
        home: usize,
        severity: Severity,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.told.entry(home).or_default().report(severity, code, span, message)
    }

    pub(crate) fn error(
        &mut self,
        home: usize,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.tell(home, Severity::Error, code, span, message)
    }

    fn warning(
        &mut self,
        home: usize,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.tell(home, Severity::Warning, code, span, message)
    }

    fn scope(&self, home: usize) -> Scope<'s, 'a> {
        Scope::of(self.world, home)
    }

    /// The document at an index.
    fn document(&self, home: usize) -> &'a Document {
        self.world.documents.at(home).map_or(&PRELUDE, |(_, document)| document)
    }
}
