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

pub(crate) fn boolean(value: bool) -> Expression {
    node(ExpressionKind::Bool(value))
}

pub(crate) fn null() -> Expression {
    node(ExpressionKind::Null)
}

pub(crate) fn integer(value: i64) -> Expression {
    node(ExpressionKind::Number(value.into()))
}

pub(crate) fn list(elements: impl IntoIterator<Item = (bool, Expression)>) -> Expression {
    let elements = elements.into_iter().map(|(spread, value)| Element { spread, value });
    node(ExpressionKind::List(elements.collect()))
}

pub(crate) fn binary(operator: &'static str, left: Expression, right: Expression) -> Expression {
    node(ExpressionKind::Binary { operator, left: left.into(), right: right.into() })
}

pub(crate) fn not(of: Expression) -> Expression {
    node(ExpressionKind::Unary { operator: "!", of: of.into() })
}

/// Makes `-e`, which is one number if `e` is.
pub(crate) fn negative(of: Expression) -> Option<Expression> {
    match &of.kind {
        ExpressionKind::Number(number) if !number.to_string().starts_with('-') => {
            let number = crate::lex::number::parse(&format!("-{number}"))?;
            Some(node(ExpressionKind::Number(number)))
        }
        _ => Some(node(ExpressionKind::Unary { operator: "-", of: of.into() })),
    }
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

/// Makes `receiver.name(arguments)`.
pub(crate) fn method(
    receiver: Expression,
    name: &str,
    arguments: impl IntoIterator<Item = Expression>,
) -> Expression {
    let arguments = arguments.into_iter().map(|value| Argument { name: None, value }).collect();
    call_of(Some(receiver), false, name, arguments)
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

/// Replaces a name by an expression, unless it is bound again.
fn substitute(expression: &mut Expression, name: &str, by: &Expression) {
    match &mut expression.kind {
        ExpressionKind::Name(found) if found == name => *expression = by.clone(),
        ExpressionKind::Lambda { parameters, .. } if parameters.iter().any(|it| it.name.text == name) => {}
        kind => kind.each_child_mut(&mut |child| substitute(child, name, by)),
    }
}

/// Replaces names by parts of a value; none of them may be called.
pub(crate) fn substitute_all(body: &mut Expression, parts: Vec<(&str, Expression)>) -> Option<()> {
    for (name, part) in parts {
        let calls = |it: &ExpressionKind| matches!(it, ExpressionKind::Call(call) if call.name.text == name);
        if any(body, &calls) {
            return None;
        }
        substitute(body, name, &part);
    }
    Some(())
}

/// Returns `true` if the name is used and not bound again.
pub(crate) fn uses(expression: &Expression, name: &str) -> bool {
    match &expression.kind {
        ExpressionKind::Name(found) => found == name,
        ExpressionKind::Call(call) if call.name.text == name => true,
        kind => kind.children().into_iter().any(|child| uses(child, name)),
    }
}

/// Returns `true` if the condition holds for an expression in this one.
pub(crate) fn any(expression: &Expression, condition: &impl Fn(&ExpressionKind) -> bool) -> bool {
    condition(&expression.kind) || expression.kind.children().into_iter().any(|child| any(child, condition))
}
