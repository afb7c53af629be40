//! Programs in TypeScript, made ready for an engine that knows JavaScript.
//!
//! [`erase`] leaves out the types, in place: every other character keeps its line and its column. Types, modifiers and
//! declarations that only the compiler reads become blanks. Code is inserted for enumerations and for parameters that
//! declare fields. Other syntax that makes code (namespaces, decorators) is refused, with its place and what to write
//! instead.
//!
//! [`Program::read`] also checks the calls of functions that the program is given, and makes one expression of it.

#![warn(missing_docs)]

mod blanks;
mod calls;
mod elsewhere;
mod entry;
mod generated;
mod meaning;
mod program;
mod scan;
mod surroundings;
mod type_check;
mod visit;

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{JSXOpeningElement, JSXOpeningFragment};
use oxc_ast_visit::Visit;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{SourceType, Span};
use thiserror::Error;

use crate::blanks::Erased;
pub use crate::program::Program;
pub use crate::surroundings::{KnownModule, MODULES};
pub use crate::type_check::{checkable, checked_place};
use crate::visit::Eraser;

/// A reason why a program cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Problem {
    /// The bytes that it is about.
    pub span: Range<usize>,
    /// The problem.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// Returns a module of TypeScript as JavaScript with the same lines; of the same length, unless code is inserted. `return`
/// is permitted outside of functions.
///
/// # Errors
/// What the parser does not read, or everything that cannot be erased, in the order of the program.
pub fn erase(source: &str) -> Result<String, Vec<Problem>> {
    let allocator = Allocator::default();
    let program = parse(&allocator, source)?;
    erased(source, &program).map(Erased::whole)
}

fn parse<'a>(allocator: &'a Allocator, source: &'a str) -> Result<oxc_ast::ast::Program<'a>, Vec<Problem>> {
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parser = Parser::new(allocator, source, SourceType::ts().with_module(true)).with_options(options);
    let parsed = parser.parse();
    let problems: Vec<Problem> = parsed.diagnostics.iter().map(problem).collect();
    if !problems.is_empty() || parsed.panicked {
        return Err(elements(source).map_or(problems, |it| vec![it]));
    }
    Ok(parsed.program)
}

/// Returns the problem of a program that is TypeScript but for elements in angle brackets.
fn elements(source: &str) -> Option<Problem> {
    let allocator = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parser = Parser::new(&allocator, source, SourceType::tsx().with_module(true)).with_options(options);
    let parsed = parser.parse();
    let mut first = FirstElement(None);
    first.visit_program(&parsed.program);
    let span = first.0.filter(|_| parsed.diagnostics.is_empty() && !parsed.panicked)?;
    Some(Problem {
        span: visit::range(span),
        message: "JSX cannot run here: nothing renders it".to_owned(),
        help: Some("Write it as a text: `<p>…</p>`.".to_owned()),
    })
}

struct FirstElement(Option<Span>);

impl<'a> Visit<'a> for FirstElement {
    fn visit_jsx_opening_element(&mut self, it: &JSXOpeningElement<'a>) {
        self.0 = self.0.or(Some(it.span));
    }

    fn visit_jsx_opening_fragment(&mut self, it: &JSXOpeningFragment) {
        self.0 = self.0.or(Some(it.span));
    }
}

fn erased(source: &str, program: &oxc_ast::ast::Program<'_>) -> Result<Erased, Vec<Problem>> {
    let mut eraser = Eraser::new(source);
    eraser.visit_program(program);
    eraser.finish()
}

fn problem(diagnostic: &OxcDiagnostic) -> Problem {
    let label = diagnostic.labels.iter().next();
    let span = label.map_or(0..0, |it| {
        let start = it.offset() as usize;
        start..start + it.len() as usize
    });
    let help = diagnostic.help.as_ref().map(ToString::to_string);
    Problem { span, message: diagnostic.message.to_string(), help }
}

#[cfg(test)]
mod tests;
