//! Fields of objects, and membership.

use dialect::{Failure, Invocation, Object, Record, Value};

use crate::arguments::{value, whole};
use crate::failure::wrong_argument;
use crate::row::{Code, Computed, pure};
use crate::texts::searched;

pub(crate) fn code() -> Vec<Code> {
    vec![
        pure("keys(object)", |it| {
            Ok(Value::List(fields(it, "object")?.keys().cloned().map(Value::from).collect()))
        }),
        pure("values(object)", |it| Ok(Value::List(fields(it, "object")?.values().cloned().collect()))),
        pure("get(object, key, otherwise?)", get),
        pure("merge(object, other)", merge),
        pure("contains(list, item)", contains),
    ]
}

fn fields<'a>(invocation: &'a Invocation, parameter: &str) -> Result<&'a Object, Failure> {
    let found = value(invocation, parameter);
    found.fields().ok_or_else(|| wrong_argument("keys", parameter, "an object", found))
}

fn get(invocation: &Invocation) -> Computed {
    let (object, key) = (value(invocation, "object"), value(invocation, "key"));
    let otherwise = || value(invocation, "otherwise").clone();
    match (object, key) {
        (Value::Null, _) => Ok(otherwise()),
        (Value::Object(fields) | Value::Record(Record { fields, .. }), Value::Text(key)) => {
            invocation.work.spend(key.len())?;
            Ok(fields.get(&**key).cloned().unwrap_or_else(otherwise))
        }
        (Value::List(items), Value::Number(_)) => {
            let index = whole("get", invocation, "key")?.unwrap_or_default();
            let length = i64::try_from(items.len()).expect("a list is in memory");
            let index = if index < 0 { index.saturating_add(length) } else { index };
            let found = usize::try_from(index).ok().and_then(|it| items.get(it));
            Ok(found.cloned().unwrap_or_else(otherwise))
        }
        (Value::List(_), found) => Err(wrong_argument("get", "key", "the number of an element", found)),
        (object, found) if object.fields().is_some() => {
            Err(wrong_argument("get", "key", "the name of a field", found))
        }
        (found, _) => Err(wrong_argument("get", "object", "an object or a list", found)),
    }
}

fn merge(invocation: &Invocation) -> Computed {
    let mut merged = fields(invocation, "object")?.clone();
    let other = fields(invocation, "other")?;
    merged.extend(other.iter().map(|(key, field)| (key.clone(), field.clone())));
    Ok(Value::Object(merged))
}

fn contains(invocation: &Invocation) -> Computed {
    let (list, item) = (value(invocation, "list"), value(invocation, "item"));
    match (list, item) {
        (Value::List(items), item) => {
            let each = items.len().saturating_mul(item.bytes());
            invocation.work.spend(list.bytes().min(each))?;
            Ok(items.iter().any(|it| it.equals(item)).into())
        }
        (Value::Text(text), Value::Text(part)) => {
            invocation.work.spend(searched(text))?;
            Ok(text.contains(&**part).into())
        }
        (Value::Text(_), found) => Err(wrong_argument("contains", "item", "a part of the string", found)),
        (object, Value::Text(key)) if object.fields().is_some() => {
            invocation.work.spend(key.len())?;
            Ok(object.fields().is_some_and(|it| it.contains_key(&**key)).into())
        }
        (object, found) if object.fields().is_some() => {
            Err(wrong_argument("contains", "item", "the name of a field", found))
        }
        (found, _) => Err(wrong_argument("contains", "list", "a list, a string or an object", found)),
    }
}
