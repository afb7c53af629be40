//! The order of values: numbers by size, texts by their characters, false before true, lists by their first
//! elements that differ. Values of different kinds have none, so that no order is made up.

use std::cmp::Ordering;

use dialect::Value;

/// What the values of a list have in common.
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

    /// Takes up what another value adds; whether it fits.
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

/// Why values have no order.
#[derive(Debug, PartialEq)]
pub(crate) enum Unordered {
    /// The value at that index has none with any other.
    Element(usize),
    /// The value at that index is of another kind than those before it.
    Kind(usize),
}

/// Whether each of the values is before, behind or equal to each other one.
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

/// The order of two values that are [`ordered`].
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
