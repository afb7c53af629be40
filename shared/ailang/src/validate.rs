//! Whether documents make sense: the rules.
//!
//! 1 types and names, 2 capabilities, 3 errors, 4 refinements, 5 examples, 6 imports, 7 cycles.

mod bodies;
mod capability;
mod cycle;
mod definition;
mod error;
mod example;
mod front_matter;
mod ignore;
mod import;
mod literal;
mod name;
mod recursion;
mod refinement;
mod style;
mod types;

use std::ops::RangeInclusive;

use source_text::{Severity, Span};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::documents::Documents;
use crate::names::{Names, Scope, Symbol, World};
use crate::syntax::Definition;
use crate::{Document, syntax::Program};

/// How much is asked of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strictness {
    /// For drafts: unknown names are warnings.
    Loose,
    /// For use.
    #[default]
    Normal,
    /// For publishing: documentation and recovery have to be there.
    Strict,
}

impl Strictness {
    /// The strictness of that name.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "loose" => Some(Self::Loose),
            "normal" => Some(Self::Normal),
            "strict" => Some(Self::Strict),
            _ => None,
        }
    }
}

/// What is wrong with the document at `path`, by place; `None` when there is no such document. How it is written is
/// told as well as what it means.
pub fn validate(documents: &Documents, path: &str, strictness: Strictness) -> Option<Vec<Diagnostic>> {
    let home = documents.index_of(path)?;
    Some(check(&World::new(documents), home, strictness))
}

/// What is wrong with each document, in the order in which they were added.
pub fn validate_all(documents: &Documents, strictness: Strictness) -> Vec<(&str, Vec<Diagnostic>)> {
    let world = World::new(documents);
    let check = |(home, (path, _))| (path, check(&world, home, strictness));
    documents.iter().enumerate().map(check).collect()
}

fn check(world: &World<'_>, home: usize, strictness: Strictness) -> Vec<Diagnostic> {
    let Some((_, document)) = world.documents.at(home) else { return Vec::new() };
    let mut checker = Checker {
        world,
        home,
        document,
        strictness,
        diagnostics: document.diagnostics.iter().cloned().collect(),
        suggestions: MOST_SUGGESTIONS,
        steps: MOST_STEPS,
    };
    checker.front_matter();
    checker.imports();
    checker.cycles();
    checker.program(&document.definitions, &[]);
    checker.recursion();
    checker.examples();
    checker.style();
    ignore::without_accepted(document, checker.diagnostics.into_sorted())
}

/// Checks one document.
struct Checker<'s, 'a> {
    world: &'s World<'a>,
    home: usize,
    document: &'a Document,
    strictness: Strictness,
    diagnostics: Diagnostics,
    /// For how many more unknown names the nearest known ones are looked for.
    suggestions: usize,
    /// How many more parts of composed capabilities are looked at.
    steps: usize,
}

/// A document with more unknown names has another problem than spelling, and the search takes time.
const MOST_SUGGESTIONS: usize = 50;

/// Each composed capability is opened down to its last part: enough for thousands, not for an attack.
const MOST_STEPS: usize = 100_000;

impl<'s, 'a> Checker<'s, 'a> {
    /// The definitions of a program, which sees the names in `local` beside those of the document.
    fn program(&mut self, program: &'a Program, local: &[Names<'a>]) {
        self.duplicates(program);
        for definition in program.definitions() {
            if !self.is_misread(definition) {
                let scope = Scope { world: self.world, home: self.home, local };
                self.definition(definition, program, scope);
            }
        }
    }

    /// Whether words in a definition are wrong: then what it means is anybody's guess.
    fn is_misread(&self, definition: &Definition) -> bool {
        self.has_errors(definition.span, Code::UNTERMINATED_COMMENT..=Code::NUMBER)
    }

    /// Whether reading the document found such an error there.
    fn has_errors(&self, span: Span, codes: RangeInclusive<Code>) -> bool {
        let diagnostics = &self.document.diagnostics;
        let first = diagnostics.partition_point(|it| it.span.start < span.start);
        let mut inside = diagnostics[first..].iter().take_while(|it| it.span.start < span.end);
        inside.any(|it| codes.contains(&it.code) && it.severity == Severity::Error)
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.error(code, span, message)
    }

    /// An error, which is a warning in drafts.
    fn unknown(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let severity = if self.strictness == Strictness::Loose { Severity::Warning } else { Severity::Error };
        self.diagnostics.report(severity, code, span, message)
    }

    /// The names that are known where an unknown one stands, to suggest the nearest; none when too many have been
    /// looked for.
    fn known(&mut self, scope: Scope<'_, 'a>, wanted: impl Fn(&Symbol<'a>) -> bool) -> Vec<&'a str> {
        let Some(left) = self.suggestions.checked_sub(1) else { return Vec::new() };
        self.suggestions = left;
        scope.known().into_iter().filter(|(_, symbol)| wanted(symbol)).map(|(name, _)| name).collect()
    }

    /// Something that matters differently by strictness; `None` is not at all.
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
