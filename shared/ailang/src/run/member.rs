//! Members and elements of values, and places in variables that can change.

use dialect::ast::{Expression, ExpressionKind};
use dialect::{Advice, Record, Value};
use serde_json::json;
use source_text::Span;

use super::halt::{Halt, Run, Thrown, error_value, name_of, noun};
use super::interpreter::Interpreter;

/// A step into a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// `.path`, `["path"]`
    Key(String),
    /// `[0]`; negative ones count from the end.
    Index(i64),
}

impl Step {
    /// Returns the step for an index.
    pub(super) fn of(index: &Value) -> Option<Self> {
        match index {
            Value::Text(key) => Some(Self::Key(key.to_string())),
            Value::Number(number) => number.as_i64().map(Self::Index),
            _ => None,
        }
    }

    /// Returns the part of a value at the end of some steps, to be changed. The last field may be a new one.
    pub(super) fn slot<'v>(value: &'v mut Value, steps: &[Self]) -> Result<&'v mut Value, String> {
        let Some((step, rest)) = steps.split_first() else { return Ok(value) };
        let found = noun(value);
        let inner = match (value, step) {
            (Value::List(items), Self::Index(index)) => {
                let length = items.len();
                let index = position(*index, length)
                    .ok_or_else(|| format!("there is no element {index}: the list has {length}"))?;
                &mut items[index]
            }
            (Value::Object(fields) | Value::Record(Record { fields, .. }), Self::Key(key)) => {
                if !rest.is_empty() && !fields.contains_key(key) {
                    return Err(format!("there is no member `{key}`"));
                }
                fields.entry(key.clone()).or_default()
            }
            (_, Self::Key(key)) => return Err(format!("{found} has no member `{key}`")),
            (_, Self::Index(_)) => return Err(format!("{found} has no elements")),
        };
        Self::slot(inner, rest)
    }
}

/// The steps from a variable to a part of it: members by name, and indexes as expressions.
type Parts<'e> = Vec<Result<&'e str, &'e Expression>>;

/// Returns the variable that an assignable expression starts with, and the parts behind it.
pub(super) fn place_of(target: &Expression) -> Option<(&str, Parts<'_>)> {
    let (mut parts, mut at) = (Vec::new(), target);
    loop {
        at = match &at.kind {
            ExpressionKind::Name(name) => {
                parts.reverse();
                return Some((name, parts));
            }
            ExpressionKind::Member { of, name, .. } => {
                parts.push(Ok(name.text.as_str()));
                of
            }
            ExpressionKind::Index { of, index } => {
                parts.push(Err(&**index));
                of
            }
            _ => return None,
        };
    }
}

/// Returns the position in a list that an index means.
pub(super) fn position(index: i64, length: usize) -> Option<usize> {
    let from = if index < 0 { i64::try_from(length).ok()? } else { 0 };
    usize::try_from(from.checked_add(index)?).ok().filter(|it| *it < length)
}

/// Returns the name and the payload of a variant: `{Ok: {value: 1}}`.
pub(super) fn variant(value: &Value) -> Option<(&str, &Value)> {
    let Value::Object(fields) = value else { return None };
    let (name, payload) = fields.first()?;
    let is_variant = fields.len() == 1
        && name.starts_with(|char: char| char.is_ascii_uppercase())
        && payload.fields().is_some();
    is_variant.then_some((name, payload))
}

/// Returns the value of a `Result` or an `Option` that is written as a variant; its error otherwise.
pub(super) fn unwrapped(value: &Value) -> Option<Result<Value, Value>> {
    let (name, payload) = variant(value)?;
    let payload = payload.fields()?.get("value").cloned().unwrap_or_default();
    match name {
        "Ok" | "Some" => Some(Ok(payload)),
        "Err" => Some(Err(payload)),
        "None" => Some(Err(missing_value())),
        _ => None,
    }
}

/// Returns the error of `unwrap` without a value.
pub(super) fn missing_value() -> Value {
    let message = "there is no value to unwrap".to_owned();
    error_value("NotFoundError", json!({"what": "value"}).into(), message, &Advice::default())
}

/// Returns what is thrown for the error in a `Result`.
pub(super) fn thrown(error: Value, span: Span) -> Halt {
    match name_of(&error) {
        Some(_) => Halt::Thrown(Thrown { error, span: Some(span) }),
        None => Halt::mistake(span, format!("this is an error: {}", dialect::show_start(&error, 200))),
    }
}

impl Interpreter {
    /// Returns a member; `None` if there is none. A `Result` gives the members of its value, or throws its error.
    pub(super) fn member(&self, of: &Value, name: &str, span: Span) -> Run<Option<Value>> {
        match unwrapped(of) {
            Some(Ok(value)) => return self.member(&value, name, span),
            Some(Err(error)) if name != "error" => return Err(thrown(error, span)),
            Some(Err(error)) => return Ok(Some(error)),
            None => {}
        }
        Ok(match of {
            Value::List(items) if name == "length" => Some(items.len().into()),
            Value::Text(text) if name == "length" => Some(text.chars().count().into()),
            value => value
                .fields()
                .and_then(|fields| fields.get(name).cloned())
                .or_else(|| self.other(value, name)),
        })
    }

    /// Returns a member that a value does not have as a field: of a variant's payload, of an error's parameters, and
    /// null for what an object may have and does not. Only records say which fields they may have.
    fn other(&self, of: &Value, name: &str) -> Option<Value> {
        if let Some((_, payload)) = variant(of) {
            return payload.fields()?.get(name).cloned();
        }
        if let Some(error) = name_of(of) {
            let params = of.fields()?.get("params").and_then(Value::fields);
            return match name {
                "name" => Some(error.into()),
                _ => params.and_then(|it| it.get(name)).cloned(),
            };
        }
        let Value::Record(record) = of else { return of.fields().map(|_| Value::Null) };
        let declared = self.state.linked.values.fields_of(&record.type_name)?;
        declared.iter().any(|it| it.name == name).then_some(Value::Null)
    }

    /// Returns a member, which has to exist.
    pub(super) fn known_member(&self, of: &Value, name: &str, span: Span) -> Run {
        self.member(of, name, span)?.ok_or_else(|| {
            let known: Vec<&str> =
                of.fields().map(|it| it.keys().map(String::as_str).take(20).collect()).unwrap_or_default();
            let among =
                if known.is_empty() { String::new() } else { format!("; it has {}", known.join(", ")) };
            Halt::mistake(span, format!("{} has no member `{name}`{among}", noun(of)))
        })
    }

    /// Returns an element; `None` if there is none.
    pub(super) fn element(&self, of: &Value, index: &Value, span: Span) -> Run<Option<Value>> {
        if let Some(result) = unwrapped(of) {
            let value = result.map_err(|error| thrown(error, span))?;
            return self.element(&value, index, span);
        }
        match (of, Step::of(index)) {
            (Value::List(items), Some(Step::Index(index))) => {
                Ok(position(index, items.len()).map(|at| items[at].clone()))
            }
            (Value::Text(text), Some(Step::Index(index))) => {
                self.spend(text.len(), span)?;
                let at = position(index, text.chars().count());
                Ok(at.and_then(|at| text.chars().nth(at)).map(|char| char.to_string().into()))
            }
            (value, Some(Step::Key(key))) if value.fields().is_some() => self.member(value, &key, span),
            (value, _) => {
                let (of, by) = (noun(value), noun(index));
                Err(Halt::mistake(span, format!("{of} has no elements by {by}")))
            }
        }
    }
}
