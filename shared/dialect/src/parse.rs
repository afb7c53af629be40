//! The parser: tokens → syntax tree. The grammar is in GRAMMAR.md.
//!
//! Brackets are matched first, so that the parser can skip a broken part and continue behind it. So one
//! answer reports all mistakes.

mod document;
mod expression;
mod foreign;
mod list;
mod parser;
mod program;

pub use self::document::Part;
pub(crate) use self::document::{Stretch, arguments_of, expression_of};
pub(crate) use self::expression::{is_comparison, precedence};
use self::parser::{Mode, Parser};
use crate::ast::Expression;
use crate::brackets::Brackets;
use crate::lex::lex;
use crate::{Failure, FailureKind, Failures, Limit, Limits};

/// Parses a program of either form, within the default limits. Names are not resolved.
///
/// # Errors
/// If the text is not a program: every mistake in it.
pub fn read(source: &str) -> Result<Expression, Failures> {
    match parse(source, &Limits::default()) {
        (Some(program), failures) if failures.is_empty() => Ok(program),
        (_, failures) => Err(Failures::from(failures)),
    }
}

/// Parses a program.
///
/// There may be both failures and an expression, in which the unreadable parts are
/// [`ExpressionKind::Broken`](crate::ast::ExpressionKind::Broken). It helps to find other mistakes.
pub(crate) fn parse(source: &str, limits: &Limits) -> (Option<Expression>, Vec<Failure>) {
    if source.len() > limits.source_bytes {
        let kind = FailureKind::LimitReached { limit: Limit::Source, at_most: limits.source_bytes };
        return (None, vec![kind.into()]);
    }
    let mut lexed = lex(source);
    if lexed.swallowed {
        return (None, lexed.failures);
    }
    let brackets = match Brackets::matched(&lexed.tokens, limits.depth) {
        Ok(brackets) => brackets,
        Err(failure) => {
            lexed.failures.push(failure);
            return (None, lexed.failures);
        }
    };
    let mut parser = Parser {
        source,
        tokens: &lexed.tokens,
        brackets: &brackets,
        mode: Mode::Program,
        at: 0,
        open: 0,
        broken: false,
        nesting: 0,
        depth: limits.depth,
        failures: lexed.failures,
    };
    let expression = parser.program().ok();
    (expression, parser.failures)
}
