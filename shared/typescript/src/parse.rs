//! The parser of programs.

use oxc_allocator::Allocator;
use oxc_ast::ast::{JSXOpeningElement, JSXOpeningFragment, Program};
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{SourceType, Span};

use crate::problem::Problem;
use crate::visit::range;

/// Parses a module of TypeScript in which `return` is permitted outside of functions.
///
/// # Errors
/// The problems that the parser finds, if the program is no TypeScript.
pub(crate) fn parse<'a>(allocator: &'a Allocator, source: &'a str) -> Result<Program<'a>, Vec<Problem>> {
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parser = Parser::new(allocator, source, SourceType::ts().with_module(true)).with_options(options);
    let parsed = parser.parse();
    let problems: Vec<Problem> = parsed.diagnostics.iter().map(Problem::from).collect();
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
        span: range(span),
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
