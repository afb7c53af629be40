//! Limits on the size of values, so that a small program cannot make a huge one: `x = [x, x]`, thirty times.

use super::run::Run;
use crate::candidates::ProgramPlace;
use crate::value::{Fields, Size};
use crate::{Failure, FailureKind, Limit, Question, Record, Value};

/// The bytes of any value.
const EACH: usize = 32;
/// The bytes that a text, a list or an object takes besides, and each field of one.
const TEXT: usize = 16;
const LIST: usize = 96;
const OBJECT: usize = 160;
const FIELD: usize = 48;
/// The bytes that a function takes with the bindings that it keeps.
const FUNCTION: usize = 128;
/// The bytes of a value while it is shown, as a multiple of its own.
const SHOWN: usize = 2;
/// The work of one conversion, of one failure in words, of each byte that these quote, and of comparing two
/// names. The unit is a byte that is looked at.
const CONVERSION: usize = 1 << 10;
const EXPLANATION: usize = 16 << 10;
const QUOTED: usize = 16;
const SIMILAR: usize = 4 << 10;

impl Size {
    /// Measures a value. The size of a shared part is cached.
    fn of(value: &Value) -> Self {
        match value {
            Value::Text(text) => Self { bytes: EACH + TEXT + text.len(), ..Self::default() },
            Value::Function(function) => {
                Self { bytes: EACH + FUNCTION, functions: function.functions(), ..Self::default() }
            }
            Value::List(items) => items.size(|items| Self::of_list(items)),
            Value::Object(fields) | Value::Record(Record { fields, .. }) => {
                let parts = |fields: &Fields| {
                    Self::of_parts(OBJECT, fields.iter().map(|(key, field)| (FIELD + key.len(), field)))
                };
                fields.size(parts)
            }
            _ => Self { bytes: EACH, ..Self::default() },
        }
    }

    fn of_list(items: &[Value]) -> Self {
        let size = Self::of_parts(LIST, items.iter().map(|it| (0, it)));
        Self { longest: size.longest.max(items.len()), ..size }
    }

    /// Measures something of `own` bytes and its parts, given with the bytes that each takes besides its
    /// value.
    fn of_parts<'v>(own: usize, parts: impl Iterator<Item = (usize, &'v Value)>) -> Self {
        let mut size = Self { bytes: EACH + own, ..Self::default() };
        for (beside, part) in parts {
            size.bytes = size.bytes.saturating_add(beside);
            size.add(Self::of(part));
        }
        size
    }

    fn add(&mut self, part: Self) {
        self.longest = self.longest.max(part.longest);
        self.depth = self.depth.max(part.depth + 1);
        self.functions = self.functions.max(part.functions);
        self.bytes = self.bytes.saturating_add(part.bytes);
    }
}

impl Value {
    /// Returns about how many bytes it takes, were nothing in it shared.
    pub fn bytes(&self) -> usize {
        Size::of(self).bytes
    }

    /// Returns how many functions are in each other in it: each is in a value that the next one uses.
    pub(super) fn functions(&self) -> usize {
        match self {
            Self::Function(function) => function.functions(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => 0,
            _ => Size::of(self).functions,
        }
    }
}

impl Run {
    /// Counts the work of comparing two values.
    pub(super) fn count_comparison(&self, left: &Value, right: &Value) -> Result<(), Failure> {
        let bytes = match (left, right) {
            (Value::Text(left), Value::Text(right)) => left.len().min(right.len()),
            (Value::List(_), Value::List(_)) => left.bytes().min(right.bytes()),
            _ if left.fields().and(right.fields()).is_some() => left.bytes().min(right.bytes()),
            _ => 0,
        };
        self.work.spend(bytes)
    }

    /// Counts the work of trying to convert a value: it is looked at, and each field is compared with those of
    /// a type.
    pub(crate) fn count_conversion(&self, value: &Value) -> Result<(), Failure> {
        let fields = value.fields().map_or(0, |it| it.len());
        self.work.spend((1 + fields).saturating_mul(CONVERSION).saturating_add(value.bytes()))
    }

    /// Counts the work of putting failures into words, which may quote their places.
    pub(super) fn count_explanation(&self, failures: &[Failure]) -> Result<(), Failure> {
        let quoted = failures.iter().filter_map(|it| it.span).map(|span| span.range().len()).sum::<usize>();
        self.work.spend(quoted.saturating_mul(QUOTED).saturating_add(EXPLANATION))
    }

    /// Counts the work of comparing a name with so many others.
    pub(super) fn count_similar(&self, names: usize) -> Result<(), Failure> {
        self.work.spend(names.saturating_mul(SIMILAR))
    }

    /// Checks that there is room for a question about a place, whose candidates are programs each.
    pub(super) fn check_question(
        &self,
        place: &ProgramPlace<'_>,
        question: &Question,
    ) -> Result<(), Failure> {
        let each = question.choices.iter().map(|it| place.written(&it.value));
        let bytes = each.map(|it| it.saturating_mul(SHOWN).saturating_add(self.source.len()));
        self.work.check_room(bytes.fold(0, usize::saturating_add))
    }

    /// Counts what showing the result takes: its copy as JSON, and the text of that, in which each character
    /// of a text may become an escape.
    pub(super) fn count_shown(&self, value: &Value) -> Result<(), Failure> {
        let bytes = value.bytes().saturating_mul(SHOWN).saturating_add(shown(value));
        self.work.count_bytes(bytes)
    }

    /// Checks a new value against the limits, and counts its bytes.
    pub(super) fn measured(&self, value: Value) -> Result<Value, Failure> {
        self.inserted(value, 0)
    }

    /// Checks a value that is so many levels inside of another one, and counts its bytes.
    pub(super) fn inserted(&self, value: Value, level: usize) -> Result<Value, Failure> {
        let limits = &self.limits;
        let size = Size::of(&value);
        let reached = if size.longest > limits.list_length {
            (Limit::ListLength, limits.list_length)
        } else if size.depth.saturating_add(level) > limits.value_depth() {
            (Limit::Depth, limits.value_depth())
        } else {
            return self.work.count_bytes(size.bytes).map(|()| value);
        };
        let (limit, at_most) = reached;
        Err(FailureKind::LimitReached { limit, at_most }.into())
    }
}

/// Returns the bytes of the value's text as JSON, or a few more.
fn shown(value: &Value) -> usize {
    match value {
        Value::Text(text) => shown_text(text),
        Value::List(items) => items.iter().map(|it| shown(it) + 1).sum::<usize>() + 2,
        value => match value.fields() {
            Some(fields) => fields.iter().map(|(key, it)| shown_text(key) + shown(it) + 2).sum::<usize>() + 2,
            None => EACH,
        },
    }
}

fn shown_text(text: &str) -> usize {
    /// The bytes that `\u0001` is longer than its character.
    const ESCAPE: usize = 5;
    text.len() + 2 + ESCAPE * text.bytes().filter(|it| *it < b' ' || matches!(it, b'"' | b'\\')).count()
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
        assert_eq!(
            Size::of(&value),
            Size {
                longest: 3,
                depth: 4,
                functions: 0,
                bytes: 9 * EACH + TEXT + 2 * LIST + 2 * OBJECT + 2 * FIELD + 5
            }
        );
    }
}
