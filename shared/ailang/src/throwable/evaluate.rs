//! Evaluation of the expressions in templates: parameters, `now()`, members, elements and operators.

use dialect::ast::{Expression, ExpressionKind, TemplatePart};
use serde_json::Value;

use crate::values::number;

/// The values that expressions can name.
pub(crate) struct Bindings<'a> {
    pub(crate) params: &'a Value,
    /// The time in seconds since the Unix epoch; `None` without a clock.
    pub(crate) now: Option<f64>,
}

impl Bindings<'_> {
    /// Evaluates a hole to text; `None` for null and for what cannot be computed.
    pub(crate) fn filling(&self, hole: &Expression) -> Option<String> {
        self.value(hole).filter(|it| !it.is_null()).map(|it| spelled(&it))
    }

    /// Evaluates an expression. An omitted parameter is null; `None` for what cannot be computed.
    pub(crate) fn value(&self, expression: &Expression) -> Option<Value> {
        match &expression.kind {
            ExpressionKind::Null => Some(Value::Null),
            ExpressionKind::Bool(it) => Some((*it).into()),
            ExpressionKind::Number(it) => Some(Value::Number(it.clone())),
            ExpressionKind::Text(it) => Some(it.as_str().into()),
            ExpressionKind::Name(name) => Some(self.params.get(name).cloned().unwrap_or_default()),
            ExpressionKind::Member { of, name, .. } => member(&self.value(of)?, &name.text),
            ExpressionKind::Index { of, index } => element(&self.value(of)?, &self.value(index)?),
            ExpressionKind::Call(call) if call.receiver.is_none() && call.name.text == "now" => {
                number(self.now?).map(Value::Number)
            }
            ExpressionKind::Call(call) if call.name.text == "join" => {
                let items = self.value(call.receiver.as_ref()?)?;
                let separator = match call.arguments.first() {
                    Some(separator) => self.value(&separator.value)?.as_str()?.to_owned(),
                    None => ",".to_owned(),
                };
                let items: Vec<String> = items.as_array()?.iter().map(spelled).collect();
                Some(items.join(&separator).into())
            }
            ExpressionKind::Template(parts) => {
                let part = |part: &TemplatePart| match part {
                    TemplatePart::Text(text) => Some(text.clone()),
                    TemplatePart::Expression(inner) => self.filling(inner),
                };
                parts.iter().map(part).collect::<Option<String>>().map(Value::from)
            }
            ExpressionKind::Unary { operator, of } => unary(operator, &self.value(of)?),
            ExpressionKind::Binary { operator: "??", left, right } => {
                self.value(left).filter(|it| !it.is_null()).or_else(|| self.value(right))
            }
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

/// Returns `true` if a hole can have this expression; its parts are checked apart.
pub(crate) fn is_computable(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Call(call) if call.receiver.is_none() => call.name.text == "now",
        ExpressionKind::Call(call) => call.name.text == "join",
        ExpressionKind::Lambda { .. }
        | ExpressionKind::Block
        | ExpressionKind::List(_)
        | ExpressionKind::Object(_)
        | ExpressionKind::Spread(_) => false,
        _ => true,
    }
}

/// Returns a field, or the number of elements, fields or characters as `length`.
fn member(of: &Value, name: &str) -> Option<Value> {
    match of {
        Value::Object(fields) if name != "length" || fields.contains_key(name) => fields.get(name).cloned(),
        Value::Object(fields) => Some(fields.len().into()),
        Value::Array(items) if name == "length" => Some(items.len().into()),
        Value::String(text) if name == "length" => Some(text.chars().count().into()),
        _ => None,
    }
}

/// Returns an element: `items[0]`, `items[-1]`, `counts["a"]`.
fn element(of: &Value, index: &Value) -> Option<Value> {
    match of {
        Value::Array(items) => {
            let index = index.as_i64()?;
            let from = if index < 0 { i64::try_from(items.len()).ok()? } else { 0 };
            items.get(usize::try_from(from.checked_add(index)?).ok()?).cloned()
        }
        Value::Object(fields) => fields.get(index.as_str()?).cloned(),
        _ => None,
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
        "+" if (left.is_string() || right.is_string()) && !left.is_null() && !right.is_null() => {
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

/// Prints a value for a message: a text without quotes, anything else as JSON.
fn spelled(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
