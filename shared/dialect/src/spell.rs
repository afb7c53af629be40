//! Expressions as programs spell them, with the brackets that their operators need.

use crate::ast::{Argument, Call, Element, Expression, ExpressionKind, Spelled};
use crate::parse::parse;
use crate::quote::{self, is_plain_key, quoted};
use crate::{Limits, tightness};

/// Returns the program of an expression, if it reads as that expression again.
pub(crate) fn program(expression: &Expression) -> Option<String> {
    let text = lines(expression);
    let (again, failures) = parse(&text, &Limits::default());
    let (mut again, mut wanted) = (again?, expression.clone());
    again.forget_places();
    wanted.forget_places();
    (failures.is_empty() && again == wanted).then_some(text)
}

fn lines(expression: &Expression) -> String {
    let ExpressionKind::Let { bindings, result } = &expression.kind else {
        return at(expression, tightness::LAMBDA);
    };
    let lines =
        bindings.iter().map(|(name, value)| format!("{} = {}", name.text, at(value, tightness::LAMBDA)));
    let lines = lines.chain([at(result, tightness::LAMBDA)]);
    // A line that starts with a sign could continue the line before.
    let all = lines.reduce(|all, line| all + if line.starts_with('-') { ";\n" } else { "\n" } + &line);
    all.unwrap_or_default()
}

/// Returns the tightness of an expression.
fn tightness_of(kind: &ExpressionKind) -> usize {
    match kind {
        ExpressionKind::Lambda { .. } => tightness::LAMBDA,
        ExpressionKind::Conditional { .. } => tightness::CONDITIONAL,
        ExpressionKind::Binary { operator, .. } => tightness::of_operator(operator),
        ExpressionKind::Unary { .. } => tightness::UNARY,
        ExpressionKind::Number(number) => tightness::of_number(number),
        ExpressionKind::Member { .. } | ExpressionKind::Index { .. } => tightness::MEMBER,
        _ => tightness::WHOLE,
    }
}

/// Spells an expression, in brackets if it is looser than `least`.
fn at(expression: &Expression, least: usize) -> String {
    let text = bare(expression);
    if tightness_of(&expression.kind) < least { format!("({text})") } else { text }
}

fn bare(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Null => "null".to_owned(),
        ExpressionKind::Bool(bool) => bool.to_string(),
        ExpressionKind::Number(number) => number.to_string(),
        ExpressionKind::Text(text) => quote::text(text),
        ExpressionKind::List(elements) => {
            format!("[{}]", joined(elements.iter().map(element)))
        }
        ExpressionKind::Object(fields) => {
            format!("{{{}}}", joined(fields.iter().map(|(key, value)| field(key, value))))
        }
        ExpressionKind::Call(call) => spell_call(call),
        ExpressionKind::Name(name) => name.clone(),
        ExpressionKind::Lambda { parameters, body } => {
            let names: Vec<&str> = parameters.iter().map(|it| it.name.text.as_str()).collect();
            match names.as_slice() {
                [one] => format!("{one} => {}", at(body, tightness::LAMBDA)),
                several => format!("({}) => {}", several.join(", "), at(body, tightness::LAMBDA)),
            }
        }
        ExpressionKind::Member { of, name, or_null } => {
            let dot = if *or_null { "?." } else { "." };
            let name =
                if is_name(&name.text) { name.text.clone() } else { format!("[{}]", quoted(&name.text)) };
            format!("{}{dot}{name}", receiver(of))
        }
        ExpressionKind::Index { of, index } => {
            format!("{}[{}]", receiver(of), at(index, tightness::LAMBDA))
        }
        ExpressionKind::Unary { operator, of } => {
            let of = at(of, tightness::UNARY);
            let of = if of.starts_with('-') { format!("({of})") } else { of };
            format!("{operator}{of}")
        }
        ExpressionKind::Binary { operator, left, right } => {
            let (least_left, least_right) = tightness::of_operands(operator);
            format!("{} {operator} {}", at(left, least_left), at(right, least_right))
        }
        ExpressionKind::Conditional { condition, then, otherwise } => {
            format!(
                "{} ? {} : {}",
                at(condition, tightness::OPERATORS),
                at(then, tightness::OPERATORS),
                at(otherwise, tightness::LAMBDA)
            )
        }
        // Bindings inside of an expression are calls of `let`; the others are only in documents.
        ExpressionKind::Let { .. }
        | ExpressionKind::Template(_)
        | ExpressionKind::Pattern { .. }
        | ExpressionKind::Apply { .. }
        | ExpressionKind::Block
        | ExpressionKind::Spread(_)
        | ExpressionKind::Broken => "…".to_owned(),
    }
}

/// Spells what a member is taken of. The dot of a number would be part of it.
fn receiver(of: &Expression) -> String {
    let is_number = matches!(of.kind, ExpressionKind::Number(_));
    if is_number { format!("({})", bare(of)) } else { at(of, tightness::MEMBER) }
}

fn element(element: &Element) -> String {
    format!("{}{}", if element.spread { "..." } else { "" }, at(&element.value, tightness::LAMBDA))
}

fn field(key: &Spelled, value: &Expression) -> String {
    let name = if is_plain_key(&key.text) { key.text.clone() } else { quoted(&key.text) };
    format!("{name}: {}", at(value, tightness::LAMBDA))
}

fn spell_call(call: &Call) -> String {
    let receiver =
        call.receiver.as_ref().map(|it| format!("{}{}", receiver(it), if call.or_null { "?." } else { "." }));
    let arguments = joined(call.arguments.iter().map(argument));
    format!("{}{}({arguments})", receiver.unwrap_or_default(), call.name.text)
}

fn argument(argument: &Argument) -> String {
    let name = argument.name.as_ref().map(|it| format!("{}=", it.text)).unwrap_or_default();
    format!("{name}{}", at(&argument.value, tightness::LAMBDA))
}

fn is_name(text: &str) -> bool {
    text.chars().all(crate::lex::is_name_part) && !text.starts_with(char::is_numeric) && !text.is_empty()
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
