//! What the expressions of an error come to: names of what it carries, `now()`, members and operators.

use dialect::ast::{Expression, ExpressionKind, TemplatePart};
use serde_json::Value;

use crate::lower::number;

/// What expressions can name.
pub(super) struct Known<'a> {
    pub(super) params: &'a Value,
    /// Seconds since the start of 1970.
    pub(super) now: f64,
}

impl Known<'_> {
    /// What an expression comes to; nothing where it names nothing, or cannot be computed.
    pub(super) fn value(&self, expression: &Expression) -> Option<Value> {
        match &expression.kind {
            ExpressionKind::Null => Some(Value::Null),
            ExpressionKind::Bool(it) => Some((*it).into()),
            ExpressionKind::Number(it) => Some(Value::Number(it.clone())),
            ExpressionKind::Text(it) => Some(it.as_str().into()),
            ExpressionKind::Name(name) => self.params.get(name).cloned(),
            ExpressionKind::Member { of, name, .. } => self.value(of)?.get(&name.text).cloned(),
            ExpressionKind::Call(call) if call.receiver.is_none() && call.name.text == "now" => {
                number(self.now).map(Value::Number)
            }
            ExpressionKind::Template(parts) => {
                let part = |part: &TemplatePart| match part {
                    TemplatePart::Text(text) => Some(text.clone()),
                    TemplatePart::Expression(inner) => self.value(inner).map(|it| spelled(&it)),
                };
                parts.iter().map(part).collect::<Option<String>>().map(Value::from)
            }
            ExpressionKind::Unary { operator, of } => unary(operator, &self.value(of)?),
            ExpressionKind::Binary { operator, left, right } => {
                binary(operator, &self.value(left)?, &self.value(right)?)
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let chosen = if self.value(condition)?.as_bool()? { then } else { otherwise };
                self.value(chosen)
            }
            _ => None,
        }
    }
}

fn unary(operator: &str, of: &Value) -> Option<Value> {
    match operator {
        "-" => number(-of.as_f64()?).map(Value::Number),
        "!" => Some((!of.as_bool()?).into()),
        _ => None,
    }
}

fn binary(operator: &str, left: &Value, right: &Value) -> Option<Value> {
    match operator {
        "==" => return Some((left == right).into()),
        "!=" => return Some((left != right).into()),
        "+" if left.is_string() || right.is_string() => {
            return Some((spelled(left) + &spelled(right)).into());
        }
        "&&" => return Some((left.as_bool()? && right.as_bool()?).into()),
        "||" => return Some((left.as_bool()? || right.as_bool()?).into()),
        _ => {}
    }
    let (left, right) = (left.as_f64()?, right.as_f64()?);
    let computed = match operator {
        "<" => return Some((left < right).into()),
        "<=" => return Some((left <= right).into()),
        ">" => return Some((left > right).into()),
        ">=" => return Some((left >= right).into()),
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "%" => left % right,
        _ => return None,
    };
    number(computed).map(Value::Number)
}

/// As a message says it: a text without quotes, anything else as JSON.
pub(super) fn spelled(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
