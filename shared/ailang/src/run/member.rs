//! Members and elements of values.

use dialect::Value;
use source_text::Span;

use super::halt::{Halt, Run, name_of, noun};
use super::interpreter::Interpreter;
use super::place::{Step, position};
use super::variant::{thrown, unwrapped, variant};

/// The fields of errors. One that an error does not have is null.
const ERROR_FIELDS: &[&str] =
    &["params", "recovery", "retryable", "retryAfter", "wait", "userMessage", "maxRetries"];

impl Interpreter {
    /// Returns a member; `None` if there is none. A `Result` gives the members of its value, or throws its error.
    pub(super) fn member_of(&self, of: &Value, name: &str, span: Span) -> Run<Option<Value>> {
        match unwrapped(of) {
            Some(Ok(value)) => return self.member_of(&value, name, span),
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
                _ => {
                    let found = params.and_then(|it| it.get(name)).cloned();
                    found.or_else(|| ERROR_FIELDS.contains(&name).then_some(Value::Null))
                }
            };
        }
        let Value::Record(record) = of else { return of.fields().map(|_| Value::Null) };
        let declared = self.state.linked.values.fields_of(&record.type_name)?;
        declared.iter().any(|it| it.name == name).then_some(Value::Null)
    }

    /// Returns an element; `None` if there is none.
    pub(super) fn element_of(&self, of: &Value, index: &Value, span: Span) -> Run<Option<Value>> {
        if let Some(result) = unwrapped(of) {
            let value = result.map_err(|error| thrown(error, span))?;
            return self.element_of(&value, index, span);
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
            (value, Some(Step::Key(key))) if value.fields().is_some() => self.member_of(value, &key, span),
            (value, _) => {
                let (of, by) = (noun(value), noun(index));
                Err(Halt::mistake(span, format!("{of} has no elements by {by}")))
            }
        }
    }
}
