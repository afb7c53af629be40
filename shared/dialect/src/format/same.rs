//! The check that a layout is the same program with the same comments.

use super::comments::gaps;
use crate::Limits;
use crate::ast::Expression;
use crate::lex::lex;
use crate::parse::parse;

/// Returns `true` if `formatted` reads as `program`, and has the comments of `source` in their order.
pub(super) fn is_same(source: &str, program: &Expression, formatted: &str, limits: &Limits) -> bool {
    let (Some(mut again), failures) = parse(formatted, limits) else { return false };
    let mut program = program.clone();
    program.forget_places();
    again.forget_places();
    failures.is_empty() && again == program && comments(source) == comments(formatted)
}

pub(super) fn comments(source: &str) -> Vec<&str> {
    let tokens = lex(source).tokens;
    gaps(source, &tokens).into_iter().flat_map(|it| it.comments).map(|it| it.text).collect()
}
