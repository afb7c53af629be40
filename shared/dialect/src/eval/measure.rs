//! How big values are, so that a small program cannot make huge ones: `x = [x, x]`, thirty times.

use std::sync::atomic::Ordering;

use super::Run;
use crate::{Failure, FailureKind, Limit, Record, Value};

/// What a value takes beside the bytes of its text.
const EACH: usize = 32;

/// The extent of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    /// Elements of the longest list in it.
    longest: usize,
    /// Values in each other.
    depth: usize,
    /// About what it takes in memory.
    bytes: usize,
}

impl Size {
    /// Looks no further than at `most` bytes: shared lists in lists have more parts than they take memory.
    fn of(value: &Value, most: usize) -> Self {
        let mut size = Self { bytes: EACH, ..Self::default() };
        match value {
            Value::Text(text) => size.bytes += text.len(),
            Value::List(items) => {
                size.longest = items.len();
                for item in items {
                    size.add(Self::of(item, most.saturating_sub(size.bytes)));
                    if size.bytes > most {
                        break;
                    }
                }
            }
            Value::Object(fields) | Value::Record(Record { fields, .. }) => {
                for (key, field) in fields {
                    size.bytes += key.len();
                    size.add(Self::of(field, most.saturating_sub(size.bytes)));
                    if size.bytes > most {
                        break;
                    }
                }
            }
            _ => {}
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
    /// Takes a value that was just made into account.
    pub(super) fn measured(&self, value: Value) -> Result<Value, Failure> {
        let limits = &self.limits;
        let size = Size::of(&value, limits.value_bytes);
        let bytes = self.bytes.fetch_add(size.bytes, Ordering::Relaxed).saturating_add(size.bytes);
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
    fn sizes_count_what_is_inside() {
        let value = Value::from(serde_json::json!({ "a": [1, "two", { "b": [1, 2, 3] }] }));
        assert_eq!(Size::of(&value, 1_000), Size { longest: 3, depth: 4, bytes: 9 * EACH + 5 });
    }
}
