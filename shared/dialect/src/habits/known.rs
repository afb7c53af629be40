//! What is known of the values of expressions before they run.

use super::build::{any, binary, conditional, text};
use super::finish::FLOORED;
use super::reader::Reader;
use super::value_kind::Kind;
use crate::ast::{Expression, ExpressionKind};
use crate::parse::is_comparison;

impl Reader<'_> {
    pub(super) fn kind(&self, expression: &Expression) -> Kind {
        use ExpressionKind as E;
        match &expression.kind {
            E::Null => Kind::Null,
            E::Bool(_) | E::Unary { operator: "!", .. } => Kind::Bool,
            E::Number(number) if number.is_f64() => Kind::Float,
            E::Number(_) => Kind::Integer,
            E::Text(_) => Kind::Text,
            E::List(_) => Kind::List,
            E::Object(_) => Kind::Object,
            E::Unary { of, .. } => self.kind(of),
            E::Name(name) => self
                .bound
                .iter()
                .rev()
                .find(|(bound, _)| bound == name)
                .map_or(Kind::Unknown, |(_, kind)| *kind),
            E::Member { name, .. } if name.text == "length" => Kind::Integer,
            E::Call(call) => match call.name.text.as_str() {
                "contains" | "startsWith" | "endsWith" | "matches" | "any" | "all" => Kind::Bool,
                "count" | "len" => Kind::Integer,
                "map" | "filter" | "range" | "sorted" | "split" | "keys" => Kind::List,
                "str" | "toText" | "join" => Kind::Text,
                _ => Kind::Unknown,
            },
            E::Conditional { then, otherwise, .. } => {
                let (then, otherwise) = (self.kind(then), self.kind(otherwise));
                if then == otherwise { then } else { Kind::Unknown }
            }
            E::Binary { operator, .. } if is_comparison(operator) || matches!(*operator, "&&" | "||") => {
                Kind::Bool
            }
            E::Binary { operator: "??", left, right } => {
                let (left, right) = (self.kind(left), self.kind(right));
                if left == right { left } else { Kind::Unknown }
            }
            E::Binary { operator: "/", left, .. } if is_floored(left) => Kind::Integer,
            E::Binary { operator, left, right } => match (*operator, self.kind(left), self.kind(right)) {
                ("+", Kind::Text, _) | ("+", _, Kind::Text) => Kind::Text,
                ("+", Kind::Unknown, _) | ("+", _, Kind::Unknown) => Kind::Unknown,
                ("/", ..) | (_, Kind::Float, _) | (_, _, Kind::Float) => Kind::Float,
                _ => Kind::Integer,
            },
            _ => Kind::Unknown,
        }
    }

    /// Returns an expression as a condition, unless it is certainly none.
    pub(super) fn condition(&self, expression: Expression) -> Option<Expression> {
        self.kind(&expression).may_be(Kind::Bool).then_some(expression)
    }

    /// Returns what a text shows of a value, as an operand of a sum of texts.
    pub(super) fn shown(&self, value: Expression, is_python: bool) -> Option<Expression> {
        let divides = |kind: &ExpressionKind| {
            matches!(kind, ExpressionKind::Binary { operator: "/", .. })
                || matches!(kind, ExpressionKind::Number(number) if number.is_f64())
        };
        let may_have_fraction = self.traits.has_fractions
            && matches!(
                value.kind,
                ExpressionKind::Name(_) | ExpressionKind::Binary { .. } | ExpressionKind::Unary { .. }
            );
        match (self.kind(&value), is_python) {
            (Kind::Bool, true) => Some(conditional(value, text("True"), text("False"))),
            (Kind::Null, _) => Some(text(if is_python { "None" } else { "null" })),
            (Kind::List | Kind::Object, _) => None,
            (Kind::Unknown | Kind::Integer, false) if may_have_fraction => None,
            // Fractions are spelled alike only where they are.
            (Kind::Float, false) => {
                let ExpressionKind::Binary { operator: "/", left, right } = &value.kind else { return None };
                (!any(left, &divides) && !any(right, &divides)).then_some(value)
            }
            (Kind::Float, true) => None,
            (Kind::Unknown, true)
                if any(&value, &|it| matches!(it, ExpressionKind::Binary { operator: "/", .. })) =>
            {
                None
            }
            _ => Some(value),
        }
    }
}

/// Returns `true` for the dividend of a division that rounds down.
fn is_floored(dividend: &Expression) -> bool {
    let ExpressionKind::Binary { operator: "-", right, .. } = &dividend.kind else { return false };
    matches!(right.kind, ExpressionKind::Binary { operator: FLOORED, .. })
}

/// Joins texts and values to one text.
pub(super) fn joined(parts: Vec<Expression>) -> Expression {
    let is_text = |it: &Expression| matches!(it.kind, ExpressionKind::Text(_));
    // Without a text among the first two, numbers would be added.
    let empty = (!parts.iter().take(2).any(is_text)).then(|| text(""));
    let all = empty.into_iter().chain(parts).reduce(|sum, part| binary("+", sum, part));
    all.unwrap_or_else(|| text(""))
}
