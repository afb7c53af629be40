//! Hashable keys of values: equal values have equal keys.

use std::fmt::Write;

use dialect::Value;
use serde_json::Number;

/// Returns a key that two values share exactly if `==` holds; `None` for a function, which equals only
/// itself.
pub(crate) fn key(value: &Value) -> Option<String> {
    let mut out = String::new();
    write(&mut out, value)?;
    Some(out)
}

fn write(out: &mut String, value: &Value) -> Option<()> {
    match value {
        Value::Null => out.push('n'),
        Value::Bool(bool) => out.push(if *bool { 't' } else { 'f' }),
        Value::Number(number) => number_key(out, number),
        Value::Text(text) => text_key(out, text),
        Value::List(items) => {
            out.push('[');
            items.iter().try_for_each(|item| write(out, item))?;
            out.push(']');
        }
        value => {
            let fields = value.fields()?;
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (key, field) in sorted {
                text_key(out, key);
                write(out, field)?;
            }
            out.push('}');
        }
    }
    Some(())
}

/// Writes a text with its length, so that it never looks like a part of another value.
fn text_key(out: &mut String, text: &str) {
    write!(out, "\"{}:{text}", text.len()).expect("a string takes everything");
}

fn number_key(out: &mut String, number: &Number) {
    /// The bound below which a float without a fraction is compared as an integer.
    const INTEGERS: f64 = 1e38;
    let float = number.as_f64().expect("every number is a float, if not exactly");
    let written = match number.as_i128() {
        Some(integer) => write!(out, "{integer};"),
        #[expect(clippy::cast_possible_truncation, reason = "within i128")]
        None if float.fract() == 0.0 && float.abs() < INTEGERS => write!(out, "{};", float as i128),
        None => write!(out, "#{:x};", float.to_bits()),
    };
    written.expect("a string takes everything");
}
