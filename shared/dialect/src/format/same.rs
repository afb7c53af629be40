//! The check that a layout is the same program with the same comments.

use source_text::Span;

use super::comments::gaps;
use crate::Limits;
use crate::ast::{Expression, ExpressionKind, Spelled};
use crate::lex::lex;
use crate::parse::parse;

/// Returns `true` if `formatted` reads as `program`, and has the comments of `source` in their order.
pub(super) fn is_same(source: &str, program: &Expression, formatted: &str, limits: &Limits) -> bool {
    let (Some(mut again), failures) = parse(formatted, limits) else { return false };
    let mut program = program.clone();
    forget(&mut program);
    forget(&mut again);
    failures.is_empty() && again == program && comments(source) == comments(formatted)
}

pub(super) fn comments(source: &str) -> Vec<&str> {
    let tokens = lex(source).tokens;
    gaps(source, &tokens).into_iter().flat_map(|it| it.comments).map(|it| it.text).collect()
}

/// Clears all spans.
fn forget(expression: &mut Expression) {
    expression.span = Span::new(0, 0);
    match &mut expression.kind {
        ExpressionKind::List(elements) => elements.iter_mut().for_each(|it| forget(&mut it.value)),
        ExpressionKind::Object(fields) => fields.iter_mut().for_each(forget_named),
        ExpressionKind::Call(call) => {
            call.receiver.iter_mut().for_each(|it| forget(it));
            forget_name(&mut call.name);
            call.enclosed = Span::new(0, 0);
            for argument in &mut call.arguments {
                argument.name.iter_mut().for_each(forget_name);
                forget(&mut argument.value);
            }
        }
        ExpressionKind::Lambda { parameters, body } => {
            parameters.iter_mut().for_each(|it| forget_name(&mut it.name));
            forget(body);
        }
        ExpressionKind::Member { of, name, .. } => {
            forget(of);
            forget_name(name);
        }
        ExpressionKind::Unary { of, .. } => forget(of),
        ExpressionKind::Index { of: one, index: other }
        | ExpressionKind::Binary { left: one, right: other, .. } => {
            forget(one);
            forget(other);
        }
        ExpressionKind::Conditional { condition, then, otherwise } => {
            [condition, then, otherwise].into_iter().for_each(|it| forget(it));
        }
        ExpressionKind::Let { bindings, result } => {
            bindings.iter_mut().for_each(forget_named);
            forget(result);
        }
        // Expressions without parts, and those of documents.
        _ => {}
    }
}

fn forget_named((name, value): &mut (Spelled, Expression)) {
    forget_name(name);
    forget(value);
}

fn forget_name(name: &mut Spelled) {
    name.span = Span::new(0, 0);
}
