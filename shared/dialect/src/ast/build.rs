//! Syntax trees that stand nowhere in a source.

use source_text::Span;

use crate::Form;
use crate::ast::{Argument, Call, Element, Expression, ExpressionKind, LambdaParameter, Spelled};

/// The place of what stands in no source.
pub(crate) const NOWHERE: Span = Span { start: 0, end: 0 };

pub(crate) fn node(kind: ExpressionKind) -> Expression {
    Expression { kind, span: NOWHERE, depth: 0 }
}

pub(crate) fn spelled(text: &str) -> Spelled {
    Spelled { text: text.to_owned(), span: NOWHERE }
}

pub(crate) fn name(text: &str) -> Expression {
    node(ExpressionKind::Name(text.to_owned()))
}

pub(crate) fn text(text: &str) -> Expression {
    node(ExpressionKind::Text(text.to_owned()))
}

pub(crate) fn null() -> Expression {
    node(ExpressionKind::Null)
}

pub(crate) fn list(elements: impl IntoIterator<Item = (bool, Expression)>) -> Expression {
    let elements = elements.into_iter().map(|(spread, value)| Element { spread, value });
    node(ExpressionKind::List(elements.collect()))
}

pub(crate) fn binary(operator: &'static str, left: Expression, right: Expression) -> Expression {
    node(ExpressionKind::Binary { operator, left: left.into(), right: right.into() })
}

pub(crate) fn conditional(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
    let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
    node(ExpressionKind::Conditional { condition, then, otherwise })
}

pub(crate) fn member(of: Expression, name: &str, or_null: bool) -> Expression {
    node(ExpressionKind::Member { of: of.into(), name: spelled(name), or_null })
}

pub(crate) fn index(of: Expression, index: Expression) -> Expression {
    node(ExpressionKind::Index { of: of.into(), index: index.into() })
}

pub(crate) fn lambda(parameters: &[&str], body: Expression) -> Expression {
    let parameters = parameters.iter().map(|it| LambdaParameter::from(spelled(it))).collect();
    node(ExpressionKind::Lambda { parameters, body: body.into() })
}

/// Makes `name(arguments)`.
pub(crate) fn call(name: &str, arguments: impl IntoIterator<Item = Expression>) -> Expression {
    let arguments = arguments.into_iter().map(|value| Argument { name: None, value }).collect();
    call_of(None, false, name, arguments)
}

pub(crate) fn call_of(
    receiver: Option<Expression>,
    or_null: bool,
    name: &str,
    arguments: Vec<Argument>,
) -> Expression {
    let (name, enclosed, form) = (spelled(name), NOWHERE, Form::Text);
    let receiver = receiver.map(Box::new);
    node(ExpressionKind::Call(Box::new(Call { receiver, or_null, name, arguments, enclosed, form })))
}

/// Makes `let(value, name => body)`.
pub(crate) fn binding(name: &str, value: Expression, body: Expression) -> Expression {
    call("let", [value, lambda(&[name], body)])
}
