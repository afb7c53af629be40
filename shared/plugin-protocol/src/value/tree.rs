//! Equality, copies and debug output without recursion: derived ones of a deep value would overflow a stack.

use std::collections::{BTreeMap, btree_map};
use std::{fmt, slice};

use crate::value::Value;

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        let mut rest = vec![(self, other)];
        while let Some(pair) = rest.pop() {
            let is_same = match pair {
                (Self::List(one), Self::List(other)) => {
                    rest.extend(one.iter().zip(other));
                    one.len() == other.len()
                }
                (Self::Dict(one), Self::Dict(other)) => {
                    rest.extend(one.values().zip(other.values()));
                    one.keys().eq(other.keys())
                }
                (Self::Null, Self::Null) => true,
                (Self::Bool(one), Self::Bool(other)) => one == other,
                (Self::Int(one), Self::Int(other)) => one == other,
                (Self::Float(one), Self::Float(other)) => one == other,
                (Self::String(one), Self::String(other)) | (Self::Callback(one), Self::Callback(other)) => {
                    one == other
                }
                (Self::Remote(one), Self::Remote(other)) => one == other,
                _ => false,
            };
            if !is_same {
                return false;
            }
        }
        true
    }
}

/// A copy that has begun, and what is left to copy.
enum Copy<'a> {
    List(Vec<Value>, slice::Iter<'a, Value>),
    Dict(BTreeMap<String, Value>, btree_map::Iter<'a, String, Value>, &'a str),
}

impl Clone for Value {
    fn clone(&self) -> Self {
        let (mut open, mut next): (Vec<Copy<'_>>, _) = (Vec::new(), self);
        loop {
            let mut complete = match next {
                Self::List(items) => {
                    open.push(Copy::List(Vec::with_capacity(items.len()), items.iter()));
                    None
                }
                Self::Dict(entries) => {
                    open.push(Copy::Dict(BTreeMap::new(), entries.iter(), ""));
                    None
                }
                leaf => Some(leaf.leaf()),
            };
            next = loop {
                let Some(innermost) = open.last_mut() else { return complete.unwrap_or_default() };
                if let Some(value) = complete.take() {
                    innermost.take(value);
                }
                match innermost.next() {
                    Some(next) => break next,
                    None => complete = open.pop().map(Copy::done),
                }
            };
        }
    }
}

impl<'a> Copy<'a> {
    fn take(&mut self, value: Value) {
        match self {
            Self::List(items, _) => items.push(value),
            Self::Dict(entries, _, key) => drop(entries.insert((*key).to_owned(), value)),
        }
    }

    fn next(&mut self) -> Option<&'a Value> {
        match self {
            Self::List(_, rest) => rest.next(),
            Self::Dict(_, rest, last) => rest.next().map(|(key, value)| {
                *last = key;
                value
            }),
        }
    }

    fn done(self) -> Value {
        match self {
            Self::List(items, _) => Value::List(items),
            Self::Dict(entries, ..) => Value::Dict(entries),
        }
    }
}

impl Value {
    /// Returns a copy of a value that has no elements.
    fn leaf(&self) -> Self {
        match self {
            Self::Null | Self::List(_) | Self::Dict(_) => Self::Null,
            Self::Bool(it) => Self::Bool(*it),
            Self::Int(it) => Self::Int(*it),
            Self::Float(it) => Self::Float(*it),
            Self::String(it) => Self::String(it.clone()),
            Self::Callback(it) => Self::Callback(it.clone()),
            Self::Remote(it) => Self::Remote(it.clone()),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.write("value") {
            Ok(json) => formatter.write_str(json.get()),
            Err(error) => write!(formatter, "{error}"),
        }
    }
}
