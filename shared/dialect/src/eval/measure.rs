//! Limits on the size of values, so that a small program cannot make a huge one: `x = [x, x]`, thirty times.

use std::sync::atomic::Ordering;

use super::run::Run;
use crate::value::Size;
use crate::{Failure, FailureKind, Limit, Record, Value};

/// The bytes of a value besides its text.
const EACH: usize = 32;

impl Size {
    /// Measures a value. The size of a shared part is cached.
    fn of(value: &Value) -> Self {
        match value {
            Value::Text(text) => Self { bytes: EACH + text.len(), ..Self::default() },
            Value::List(items) => items.size(|items| Self::of_list(items)),
            Value::Object(fields) | Value::Record(Record { fields, .. }) => {
                fields.size(|fields| Self::of_parts(fields.iter().map(|(key, field)| (key.len(), field))))
            }
            _ => Self { bytes: EACH, ..Self::default() },
        }
    }

    fn of_list(items: &[Value]) -> Self {
        let size = Self::of_parts(items.iter().map(|it| (0, it)));
        Self { longest: size.longest.max(items.len()), ..size }
    }

    /// Measures the parts, given with the bytes that each takes besides its value.
    fn of_parts<'v>(parts: impl Iterator<Item = (usize, &'v Value)>) -> Self {
        let mut size = Self { bytes: EACH, ..Self::default() };
        for (beside, part) in parts {
            size.bytes = size.bytes.saturating_add(beside);
            size.add(Self::of(part));
        }
        size
    }

    fn add(&mut self, part: Self) {
        self.longest = self.longest.max(part.longest);
        self.depth = self.depth.max(part.depth + 1);
        self.bytes = self.bytes.saturating_add(part.bytes);
    }
}

impl Run {
    /// Checks a new value against the limits, and counts its bytes.
    pub(super) fn measured(&self, value: Value) -> Result<Value, Failure> {
        let limits = &self.limits;
        let size = Size::of(&value);
        let most = size.bytes.min(limits.value_bytes.saturating_add(1));
        let bytes = self.bytes.fetch_add(most, Ordering::Relaxed).saturating_add(most);
        let reached = if size.longest > limits.list_length {
            (Limit::ListLength, limits.list_length)
        } else if size.depth > limits.value_depth() {
            (Limit::Depth, limits.value_depth())
        } else if bytes > limits.value_bytes {
            (Limit::ValueBytes, limits.value_bytes)
        } else {
            return Ok(value);
        };
        let (limit, at_most) = reached;
        Err(FailureKind::LimitReached { limit, at_most }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_value_is_forgotten_when_it_changes() {
        let mut value = Value::from(vec![Value::Null]);
        let shared = value.clone();
        assert_eq!(Size::of(&value).longest, 1);
        let Value::List(items) = &mut value else { unreachable!("made above") };
        items.push(Value::Null);
        assert_eq!((Size::of(&value).longest, Size::of(&shared).longest), (2, 1));
    }

    #[test]
    fn sizes_count_what_is_inside() {
        let value = Value::from(serde_json::json!({ "a": [1, "two", { "b": [1, 2, 3] }] }));
        assert_eq!(Size::of(&value), Size { longest: 3, depth: 4, bytes: 9 * EACH + 5 });
    }
}
