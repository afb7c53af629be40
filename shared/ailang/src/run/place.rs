//! Places in variables, which can change: a variable, and steps into its value.

use dialect::{Record, Value};
use source_text::Span;

use super::halt::{Halt, Run, noun};

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

    /// Returns the steps for the names and indexes on the way to a part.
    pub(super) fn all(steps: &[Value], span: Span) -> Run<Vec<Self>> {
        let each = steps
            .iter()
            .map(|step| Self::of(step).ok_or_else(|| Halt::mistake(span, "an index is a number or a text")));
        each.collect()
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

/// Returns the position in a list that an index means.
pub(super) fn position(index: i64, length: usize) -> Option<usize> {
    let from = if index < 0 { i64::try_from(length).ok()? } else { 0 };
    usize::try_from(from.checked_add(index)?).ok().filter(|it| *it < length)
}
