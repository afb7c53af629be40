//! Values of the wire as JSON, and back. Functions and objects are JSON objects with one reserved key.

use plugin_protocol::{Remote, Value as Wire};
use serde_json::{Map, Number, Value, json};

/// The key of a function of the host.
pub(crate) const CALLBACK: &str = "\u{0}callback";

/// The key of an object of this plugin.
pub(crate) const OBJECT: &str = "\u{0}object";

pub(crate) fn to_json(value: Wire) -> Value {
    match value {
        Wire::Null => Value::Null,
        Wire::Bool(it) => it.into(),
        Wire::Int(it) => it.into(),
        Wire::Float(it) => Number::from_f64(it).map_or(Value::Null, Value::Number),
        Wire::String(it) => it.into(),
        Wire::List(items) => items.into_iter().map(to_json).collect(),
        Wire::Dict(entries) => entries.into_iter().map(|(key, it)| (key, to_json(it))).collect(),
        Wire::Callback(id) => json!({ CALLBACK: id }),
        Wire::Remote(Remote { class, id, .. }) => json!({ OBJECT: [class, id] }),
    }
}

/// Converts a result of the library of this name.
pub(crate) fn to_wire(value: Value, library: &str) -> Result<Wire, String> {
    Ok(match value {
        Value::Null => Wire::Null,
        Value::Bool(it) => Wire::Bool(it),
        Value::Number(it) => number(&it)?,
        Value::String(it) => Wire::String(it),
        Value::Array(items) => {
            Wire::List(items.into_iter().map(|it| to_wire(it, library)).collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => match remote(&fields, library) {
            Some(remote) => Wire::Remote(remote),
            None => {
                let each = fields.into_iter().map(|(key, it)| Ok((key, to_wire(it, library)?)));
                Wire::Dict(each.collect::<Result<_, String>>()?)
            }
        },
    })
}

fn number(number: &Number) -> Result<Wire, String> {
    match (number.as_i64(), number.as_f64()) {
        (Some(it), _) => Ok(Wire::Int(it)),
        (None, Some(it)) if number.is_f64() => Ok(Wire::Float(it)),
        _ => Err(format!("{number} is beyond the integers of the protocol, from -2^63 to 2^63-1")),
    }
}

fn remote(fields: &Map<String, Value>, library: &str) -> Option<Remote> {
    let [class, id] = fields.get(OBJECT)?.as_array()?.as_slice() else { return None };
    let (class, id) = (class.as_str()?.to_owned(), id.as_str()?.to_owned());
    Some(Remote { library: library.to_owned(), class, id })
}
