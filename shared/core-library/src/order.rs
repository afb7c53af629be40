//! The order of values.
//!
//! Numbers are ordered by size, texts by characters, `false` before `true`, and lists by their first
//! different elements. Values of different kinds have no order.

use std::cmp::Ordering;

use dialect::Value;

/// The common kind of the values of a list.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Number,
    Text,
    Bool,
    /// The kinds of the elements, of the longest list so far.
    List(Vec<Kind>),
}

impl Kind {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(_) => Some(Self::Number),
            Value::Text(_) => Some(Self::Text),
            Value::Bool(_) => Some(Self::Bool),
            Value::List(items) => items.iter().map(Self::of).collect::<Option<_>>().map(Self::List),
            _ => None,
        }
    }

    /// Extends the kind by that of another value; returns `false` if they differ.
    fn join(&mut self, other: Self) -> bool {
        match (self, other) {
            (Self::List(kinds), Self::List(others)) => {
                let mut others = others.into_iter();
                let fit = kinds.iter_mut().zip(others.by_ref()).all(|(kind, other)| kind.join(other));
                kinds.extend(others);
                fit
            }
            (kind, other) => *kind == other,
        }
    }
}

/// A value that prevents an order.
#[derive(Debug, PartialEq)]
pub(crate) enum Unordered {
    /// The value at that index has no order with any other.
    Element(usize),
    /// The value at that index is of another kind than the previous ones.
    Kind(usize),
}

/// Checks that all values can be compared with each other.
pub(crate) fn ordered<'a>(values: impl IntoIterator<Item = &'a Value>) -> Result<(), Unordered> {
    let mut common: Option<Kind> = None;
    for (index, value) in values.into_iter().enumerate() {
        let kind = Kind::of(value).ok_or(Unordered::Element(index))?;
        match &mut common {
            None => common = Some(kind),
            Some(common) => {
                if !common.join(kind) {
                    return Err(Unordered::Kind(index));
                }
            }
        }
    }
    Ok(())
}

/// Compares two values that passed [`ordered`].
pub(crate) fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::List(left), Value::List(right)) => {
            let differ =
                left.iter().zip(right).map(|(left, right)| compare(left, right)).find(|it| it.is_ne());
            differ.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (left, right) => left.order(right).expect("they are of one kind"),
    }
}
