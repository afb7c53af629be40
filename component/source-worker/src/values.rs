//! Values of the protocol in the interpreter, in the words of the prelude: lists that begin with what follows.

use std::collections::BTreeMap;

use monty_types::MontyObject;
use plugin_protocol::source::OBJECT;
use plugin_protocol::{Remote, Value};

fn text(it: &str) -> MontyObject {
    MontyObject::String(it.to_owned())
}

fn tagged(kind: &str, rest: impl IntoIterator<Item = MontyObject>) -> MontyObject {
    MontyObject::List(std::iter::once(text(kind)).chain(rest).collect())
}

/// Writes a value. One without functions and objects crosses as it is.
pub(crate) fn write(value: &Value) -> MontyObject {
    match written(value) {
        Written::Data(it) => tagged("v", [it]),
        Written::Tagged(it) => it,
    }
}

enum Written {
    /// Data through and through, without a word of the prelude.
    Data(MontyObject),
    Tagged(MontyObject),
}

fn written(value: &Value) -> Written {
    let data = match value {
        Value::Null => MontyObject::None,
        Value::Bool(it) => MontyObject::Bool(*it),
        Value::Int(it) => MontyObject::Int(*it),
        Value::Float(it) => MontyObject::Float(*it),
        Value::String(it) => text(it),
        Value::List(items) => {
            return match all(items.iter().map(written).collect()) {
                Ok(items) => Written::Data(MontyObject::List(items)),
                Err(items) => Written::Tagged(tagged("l", [MontyObject::List(items)])),
            };
        }
        Value::Dict(entries) => {
            let keys = entries.keys().map(|it| text(it));
            return match all(entries.values().map(written).collect()) {
                Ok(values) => Written::Data(MontyObject::dict(keys.zip(values).collect::<Vec<_>>())),
                Err(values) => {
                    let pairs = keys.zip(values).map(|(key, it)| MontyObject::List(vec![key, it]));
                    Written::Tagged(tagged("d", [MontyObject::List(pairs.collect())]))
                }
            };
        }
        Value::Callback(id) => return Written::Tagged(tagged("f", [text(id)])),
        Value::Remote(remote) if remote.id.starts_with(OBJECT) => {
            return Written::Tagged(tagged("s", [text(&remote.id)]));
        }
        Value::Remote(Remote { library, class, id }) => {
            return Written::Tagged(tagged("r", [library, class, id].map(|it| text(it))));
        }
    };
    Written::Data(data)
}

/// Returns values that are all data; otherwise each in the words of the prelude.
fn all(values: Vec<Written>) -> Result<Vec<MontyObject>, Vec<MontyObject>> {
    let is_data = values.iter().all(|it| matches!(it, Written::Data(_)));
    let each = values.into_iter().map(|it| match it {
        Written::Data(it) if is_data => it,
        Written::Data(it) => tagged("v", [it]),
        Written::Tagged(it) => it,
    });
    if is_data { Ok(each.collect()) } else { Err(each.collect()) }
}

/// Writes arguments by position.
pub(crate) fn given(values: &[Value]) -> MontyObject {
    MontyObject::List(values.iter().map(write).collect())
}

/// Writes arguments by name.
pub(crate) fn named(values: &BTreeMap<String, Value>) -> MontyObject {
    let pair = |(key, it): (&String, &Value)| MontyObject::List(vec![text(key), write(it)]);
    MontyObject::List(values.iter().map(pair).collect())
}

/// Reads a value.
///
/// # Errors
/// The prelude made something else, or a number that the protocol does not have.
pub(crate) fn read(value: &MontyObject) -> Result<Value, String> {
    let odd = || format!("unsupported plugin value {value:?}");
    let MontyObject::List(parts) = value else { return Err(odd()) };
    let words = parts.iter().map(|it| match it {
        MontyObject::String(it) => Some(it.as_str()),
        _ => None,
    });
    let words: Vec<Option<&str>> = words.collect();
    Ok(match (words.first().copied().flatten(), parts.as_slice()) {
        (Some("v"), [_, it]) => scalar(it)?,
        (Some("l"), [_, MontyObject::List(items)]) => {
            Value::List(items.iter().map(read).collect::<Result<_, _>>()?)
        }
        (Some("d"), [_, MontyObject::List(pairs)]) => {
            Value::Dict(pairs.iter().map(entry).collect::<Result<_, _>>()?)
        }
        (Some("f"), [_, MontyObject::String(id)]) => Value::Callback(id.clone()),
        (Some("s"), [_, MontyObject::String(class), MontyObject::String(id)]) => {
            let (library, class, id) = (String::new(), class.clone(), id.clone());
            Value::Remote(Remote { library, class, id })
        }
        (
            Some("r"),
            [_, MontyObject::String(library), MontyObject::String(class), MontyObject::String(id)],
        ) => {
            let (library, class, id) = (library.clone(), class.clone(), id.clone());
            Value::Remote(Remote { library, class, id })
        }
        _ => return Err(odd()),
    })
}

/// Reads what the prelude asks of the host: how, what, and the arguments by position and by name.
///
/// # Errors
/// It asks in another way, or a value is none of the protocol.
pub(crate) fn asked(arguments: &[MontyObject]) -> Result<Vec<Value>, String> {
    let [MontyObject::String(how), subject, MontyObject::List(args), MontyObject::List(kwargs)] = arguments
    else {
        return Err("the source asks for nothing".to_owned());
    };
    let args = args.iter().map(read).collect::<Result<_, _>>()?;
    let kwargs = kwargs.iter().map(entry).collect::<Result<_, _>>()?;
    Ok(vec![Value::String(how.clone()), read(subject)?, Value::List(args), Value::Dict(kwargs)])
}

fn entry(pair: &MontyObject) -> Result<(String, Value), String> {
    match pair {
        MontyObject::List(parts) => match parts.as_slice() {
            [MontyObject::String(key), it] => Ok((key.clone(), read(it)?)),
            _ => Err("unsupported plugin value in a dict".to_owned()),
        },
        _ => Err("unsupported plugin value in a dict".to_owned()),
    }
}

/// Reads what is no list and no dict.
fn scalar(value: &MontyObject) -> Result<Value, String> {
    Ok(match value {
        MontyObject::None => Value::Null,
        MontyObject::Bool(it) => Value::Bool(*it),
        MontyObject::Int(it) => Value::Int(*it),
        MontyObject::Float(it) if it.is_finite() => Value::Float(*it),
        MontyObject::Float(it) => return Err(format!("unsupported value: {it}")),
        MontyObject::String(it) => Value::String(it.clone()),
        MontyObject::BigInt(_) => return Err("unsupported value: an integer of more than 64 bits".to_owned()),
        other => return Err(format!("unsupported plugin value {other:?}")),
    })
}
