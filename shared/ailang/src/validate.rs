//! Validation: the rules of meaning.
//!
//! 1 types and names, 2 capabilities, 3 errors, 4 refinements, 5 examples, 6 imports, 7 cycles.

mod built_in;
mod capability;
mod cycle;
mod definition;
mod error;
mod example;
mod front_matter;
mod ignore;
mod import;
mod literal;
pub(crate) mod member;
mod name;
pub(crate) mod occurrence;
pub(crate) mod recursion;
mod refinement;
mod statements;
mod style;
mod tags;
mod types;

pub use built_in::BUILT_IN_FUNCTIONS;
pub(crate) use built_in::{DICT_METHODS, LIST_METHODS, OBJECTS, TEXT_METHODS};
pub use refinement::refinements;
pub(crate) use refinement::{KNOWN, applies, applies_to_primitive};

use std::ops::RangeInclusive;

use source_text::{Severity, Span};

use self::member::{Probe, Unresolved};
use crate::Document;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::documents::Documents;
use crate::names::{DocumentSymbols, Occurrence, Scope, Symbol, SymbolTable};
use crate::syntax::{Definition, Name, Program};

/// The strictness of validation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strictness {
    /// For drafts: unknown names are warnings.
    Loose,
    /// For use.
    #[default]
    Normal,
    /// For publication: documentation and recovery advice are required.
    Strict,
}

impl Strictness {
    /// Parses the name of a strictness.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "loose" => Some(Self::Loose),
            "normal" => Some(Self::Normal),
            "strict" => Some(Self::Strict),
            _ => None,
        }
    }
}

/// Returns the mistakes of syntax and of meaning in the document at `path`, by place; `None` without such a
/// document.
pub fn validate(documents: &Documents, path: &str, strictness: Strictness) -> Option<Vec<Diagnostic>> {
    let home = documents.index_of(path)?;
    Some(check(&SymbolTable::new(documents), home, strictness))
}

/// Returns the mistakes of each document, in the order of insertion.
pub fn validate_all(documents: &Documents, strictness: Strictness) -> Vec<(&str, Vec<Diagnostic>)> {
    let table = SymbolTable::new(documents);
    let check = |(home, (path, _))| (path, check(&table, home, strictness));
    documents.iter().enumerate().map(check).collect()
}

pub(crate) fn check(table: &SymbolTable<'_>, home: usize, strictness: Strictness) -> Vec<Diagnostic> {
    let Some((_, document)) = table.documents.at(home) else { return Vec::new() };
    let mut checker = Checker::new(table, home, document, strictness);
    checker.diagnostics = document.diagnostics.iter().cloned().collect();
    checker.front_matter();
    checker.imports();
    checker.cycles();
    checker.program(&document.definitions, &[]);
    checker.recursion();
    checker.examples();
    checker.style();
    ignore::without_accepted(document, checker.diagnostics.into_sorted())
}

/// A checker of one document.
struct Checker<'s, 'a> {
    table: &'s SymbolTable<'a>,
    home: usize,
    document: &'a Document,
    strictness: Strictness,
    diagnostics: Diagnostics,
    /// The number of unknown names for which similar ones may still be searched.
    suggestions: usize,
    /// The number of parts of composed capabilities that may still be visited.
    steps: usize,
    /// The type parameters of the definition that is being checked.
    type_parameters: &'a [Name],
    /// The resolved names, if they are collected.
    occurrences: Option<Vec<Occurrence>>,
    /// The names of members of values without a known type, if occurrences are collected.
    unresolved: Vec<Unresolved<'a>>,
    /// The place whose members are wanted, and those that were found.
    probe: Option<Probe<'a>>,
}

/// The maximum number of searches for similar names, which are slow. More unknown names are no typing
/// mistakes.
const MOST_SUGGESTIONS: usize = 50;

/// The maximum number of visited parts of composed capabilities, against hostile documents.
const MOST_STEPS: usize = 100_000;

impl<'s, 'a> Checker<'s, 'a> {
    fn new(table: &'s SymbolTable<'a>, home: usize, document: &'a Document, strictness: Strictness) -> Self {
        Self {
            table,
            home,
            document,
            strictness,
            diagnostics: Diagnostics::default(),
            suggestions: MOST_SUGGESTIONS,
            steps: MOST_STEPS,
            type_parameters: &[],
            occurrences: None,
            unresolved: Vec::new(),
            probe: None,
        }
    }

    /// Checks the definitions of a program, which sees the names in `local` beside those of the document.
    fn program(&mut self, program: &'a Program, local: &[DocumentSymbols<'a>]) {
        self.duplicates(program);
        for definition in program.definitions() {
            if self.occurrences.is_some() || !self.is_misread(definition) {
                let scope = Scope { table: self.table, home: self.home, local };
                self.definition(definition, program, scope);
            }
        }
    }

    /// Returns `true` if a definition has malformed tokens, so that its meaning is unknown.
    fn is_misread(&self, definition: &Definition) -> bool {
        self.has_errors(definition.span, Code::UNTERMINATED_COMMENT..=Code::NUMBER)
    }

    /// Returns `true` if the parser reported an error with such a code in `span`.
    fn has_errors(&self, span: Span, codes: RangeInclusive<Code>) -> bool {
        let diagnostics = &self.document.diagnostics;
        let first = diagnostics.partition_point(|it| it.span.start < span.start);
        let mut inside = diagnostics[first..].iter().take_while(|it| it.span.start < span.end);
        inside.any(|it| codes.contains(&it.code) && it.severity == Severity::Error)
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.error(code, span, message)
    }

    /// Reports an error, which is a warning in drafts.
    fn unknown(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let severity = if self.strictness == Strictness::Loose { Severity::Warning } else { Severity::Error };
        self.diagnostics.report(severity, code, span, message)
    }

    /// Returns the names in scope for suggestions; empty after too many searches.
    fn known(&mut self, scope: Scope<'_, 'a>, wanted: impl Fn(&Symbol<'a>) -> bool) -> Vec<&'a str> {
        let Some(left) = self.suggestions.checked_sub(1) else { return Vec::new() };
        self.suggestions = left;
        scope.known().into_iter().filter(|(_, symbol)| wanted(symbol)).map(|(name, _)| name).collect()
    }

    /// Returns the severity for the strictness; `None` to report nothing.
    fn by_strictness(
        &self,
        loose: Option<Severity>,
        normal: Option<Severity>,
        strict: Severity,
    ) -> Option<Severity> {
        match self.strictness {
            Strictness::Loose => loose,
            Strictness::Normal => normal,
            Strictness::Strict => Some(strict),
        }
    }
}
