//! Values that differ from others in one part.

use std::collections::HashSet;

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// The most attempts for each new value.
const ATTEMPTS: usize = 4;

/// Adds values that differ from those there in one part, or in several; mostly from one that is accepted.
pub(super) fn mutate(all: &mut Vec<Value>, more: usize, rng: &mut Rng, accepts: impl Fn(&Value) -> bool) {
    let mut seen: HashSet<String> = all.iter().map(Value::to_string).collect();
    let mut accepted: Vec<Value> = all.iter().filter(|it| accepts(it)).cloned().collect();
    let most = all.len() + more;
    for _ in 0..more * ATTEMPTS {
        if all.len() >= most {
            return;
        }
        let from = if accepted.is_empty() || rng.u8(..4) == 0 { &*all } else { &accepted };
        let mut value = from[rng.usize(..from.len())].clone();
        let other = part(&all[rng.usize(..all.len())], rng).clone();
        change(&mut value, other, rng);
        if seen.insert(value.to_string()) {
            accepted.extend(accepts(&value).then(|| value.clone()));
            all.push(value);
        }
    }
}

/// Returns a value that is a part of another, or that value.
fn part<'v>(value: &'v Value, rng: &mut Rng) -> &'v Value {
    let inner: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => return value,
    };
    match inner.len() {
        0 => value,
        _ if rng.u8(..3) == 0 => value,
        length => part(inner[rng.usize(..length)], rng),
    }
}

/// Changes one part of a value.
fn change(value: &mut Value, other: Value, rng: &mut Rng) {
    let is_here = rng.u8(..3) == 0;
    match value {
        Value::Array(items) if !is_here && !items.is_empty() => {
            let at = rng.usize(..items.len());
            change(&mut items[at], other, rng);
        }
        Value::Array(items) if items.len() > 1 && rng.bool() => {
            drop(items.swap_remove(rng.usize(..items.len())));
        }
        Value::Array(items) if rng.bool() => items.push(other),
        Value::Object(fields) if !is_here && !fields.is_empty() => {
            let at = rng.usize(..fields.len());
            fields.values_mut().nth(at).into_iter().for_each(|it| change(it, other.clone(), rng));
        }
        Value::Object(fields) if rng.bool() => change_fields(fields, other, rng),
        value => *value = changed(value, other, rng),
    }
}

fn change_fields(fields: &mut Map<String, Value>, other: Value, rng: &mut Rng) {
    let keys: Vec<String> = fields.keys().cloned().collect();
    let key = if keys.is_empty() { "a".to_owned() } else { keys[rng.usize(..keys.len())].clone() };
    match rng.u8(..3) {
        0 => drop(fields.shift_remove(&key)),
        1 => drop(fields.insert(format!("{key}s"), other)),
        _ => drop(fields.insert(key, other)),
    }
}

/// Returns another value in place of one.
fn changed(value: &Value, other: Value, rng: &mut Rng) -> Value {
    match (value, rng.u8(..4)) {
        (Value::Number(number), 0) => json!(number.as_f64().unwrap_or_default() + 1.0),
        (Value::Number(number), 1) => json!(number.to_string()),
        (Value::Number(number), 2) => json!(number.as_f64().unwrap_or_default() / 10.0),
        (Value::String(text), 0) => json!(format!("{text}a")),
        (Value::String(text), 1) => json!(text.chars().skip(1).collect::<String>()),
        (value, 3) => json!([value]),
        _ => other,
    }
}
