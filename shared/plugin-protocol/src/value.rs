//! The values that cross the wire. Each is an object with a type, so that 3 and 3.0 stay apart.
//!
//! Reading and writing keep their own stack: a value may be [`VALUE_DEPTH`](crate::VALUE_DEPTH) deep.

mod read;
#[cfg(test)]
mod tests;
mod tree;
mod write;

use std::collections::BTreeMap;

use thiserror::Error;

/// A value of an argument, a result or a constant.
#[derive(Default)]
pub enum Value {
    /// Null, and every result that is left out.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer, exact over the whole range.
    Int(i64),
    /// A number with a fraction. Only finite ones can be sent.
    Float(f64),
    /// A text, of any Unicode characters.
    String(String),
    /// A list, of values of any types.
    List(Vec<Value>),
    /// A dict. It is sent with its keys sorted.
    Dict(BTreeMap<String, Value>),
    /// A function of the host, by the id that the plugin calls it with. It holds during one call.
    Callback(String),
    /// An object that lives in a plugin.
    Remote(Remote),
}

/// The name of an object that lives in a plugin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remote {
    /// The library, as the host calls it: `plugin.hello`.
    pub library: String,
    /// The name of the object's class in its library.
    pub class: String,
    /// The id within the process of the plugin. Ids start again when the process does.
    pub id: String,
}

/// A value that cannot be read or sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem} at {at}")]
pub struct ValueError {
    /// The reason why the value cannot be read or sent, as the start of a sentence.
    pub problem: String,
    /// The place, such as `kwargs.x.items[2]`.
    pub at: String,
}

/// The characters of a place that an error names.
const LONGEST_PLACE: usize = 160;

impl ValueError {
    /// Creates an error. The middle of a very deep place is left out.
    fn new(problem: String, at: String) -> Self {
        let characters = at.chars().count();
        if characters <= LONGEST_PLACE {
            return Self { problem, at };
        }
        let start: String = at.chars().take(LONGEST_PLACE / 2).collect();
        let end: String = at.chars().skip(characters - LONGEST_PLACE / 2).collect();
        Self { problem, at: format!("{start}…{end}") }
    }
}

impl Value {
    /// Adds the ids of all callbacks in this value.
    pub fn callbacks<'a>(&'a self, found: &mut Vec<&'a str>) {
        let mut rest = vec![self];
        while let Some(value) = rest.pop() {
            match value {
                Self::Callback(id) => found.push(id),
                Self::List(items) => rest.extend(items),
                Self::Dict(entries) => rest.extend(entries.values()),
                _ => {}
            }
        }
    }
}

/// Returns the segment of a path that names an entry of a dict.
fn entry_segment(key: &str) -> String {
    let is_plain = !key.is_empty() && key.chars().all(|it| it.is_alphanumeric() || it == '_');
    if is_plain { format!(".entries.{key}") } else { format!(".entries[{key:?}]") }
}

fn too_deep() -> String {
    format!("a value is deeper than {} lists or dicts", crate::limits::VALUE_DEPTH)
}
