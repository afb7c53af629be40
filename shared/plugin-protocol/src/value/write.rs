//! Writes values.

use std::collections::btree_map;
use std::{iter, slice};

use crate::envelope::{Payload, payload};
use crate::limits::VALUE_DEPTH;
use crate::value::{Remote, Value, ValueError, entry_segment, too_deep};

/// A list or dict that has begun, and the segment of its element that is being written.
enum Open<'a> {
    Items(iter::Enumerate<slice::Iter<'a, Value>>, usize),
    Entries(btree_map::Iter<'a, String, Value>, &'a str),
}

impl Value {
    /// Writes the value. `at` names its place in errors.
    pub fn write(&self, at: &str) -> Result<Payload, ValueError> {
        let (mut json, mut open) = (String::new(), Vec::new());
        let mut next = Some(self);
        loop {
            if let Some(value) = next.take() {
                let begun = value.begin(&mut json);
                let begun = if open.len() > VALUE_DEPTH { Err(too_deep()) } else { begun };
                match begun {
                    Ok(begun) => open.extend(begun),
                    Err(problem) => return Err(ValueError::new(problem, place(at, &open))),
                }
            }
            let Some(innermost) = open.last_mut() else { return Ok(payload(json)) };
            next = innermost.next(&mut json);
            if next.is_none() {
                open.pop();
            }
        }
    }

    /// Writes the start of the value, which is all of one without elements.
    fn begin(&self, json: &mut String) -> Result<Option<Open<'_>>, String> {
        match self {
            Self::Null => json.push_str(r#"{"type":"null"}"#),
            Self::Bool(value) => scalar(json, "bool", value),
            Self::Int(value) => scalar(json, "int", value),
            Self::Float(value) if value.is_finite() => scalar(json, "float", value),
            Self::Float(value) => return Err(format!("unsupported value: {value} is no JSON number")),
            Self::String(value) => scalar(json, "string", value),
            Self::List(items) if items.is_empty() => json.push_str(r#"{"type":"list"}"#),
            Self::List(items) => {
                json.push_str(r#"{"type":"list","items":["#);
                return Ok(Some(Open::Items(items.iter().enumerate(), 0)));
            }
            Self::Dict(entries) if entries.is_empty() => json.push_str(r#"{"type":"dict"}"#),
            Self::Dict(entries) => {
                json.push_str(r#"{"type":"dict","entries":{"#);
                return Ok(Some(Open::Entries(entries.iter(), "")));
            }
            Self::Callback(id) => {
                json.push_str(r#"{"type":"callback","callback":{"id":"#);
                quoted(json, id);
                json.push_str("}}");
            }
            Self::Remote(Remote { library, class, id }) => {
                for (before, text) in [
                    (r#"{"type":"remote","remote":{"library":"#, library),
                    (r#","class":"#, class),
                    (r#","id":"#, id),
                ] {
                    json.push_str(before);
                    quoted(json, text);
                }
                json.push_str("}}");
            }
        }
        Ok(None)
    }
}

impl<'a> Open<'a> {
    /// Writes what comes before the next element, or the end.
    fn next(&mut self, json: &mut String) -> Option<&'a Value> {
        match self {
            Self::Items(items, at) => {
                let Some((index, value)) = items.next() else {
                    json.push_str("]}");
                    return None;
                };
                *at = index;
                comma(json, '[');
                Some(value)
            }
            Self::Entries(entries, at) => {
                let Some((key, value)) = entries.next() else {
                    json.push_str("}}");
                    return None;
                };
                *at = key;
                comma(json, '{');
                quoted(json, key);
                json.push(':');
                Some(value)
            }
        }
    }
}

fn comma(json: &mut String, opening: char) {
    if !json.ends_with(opening) {
        json.push(',');
    }
}

fn scalar(json: &mut String, kind: &str, value: &impl serde::Serialize) {
    json.push_str(r#"{"type":""#);
    json.push_str(kind);
    json.push_str(r#"","value":"#);
    json.push_str(&serde_json::to_string(value).expect("a scalar is JSON"));
    json.push('}');
}

fn quoted(json: &mut String, text: &str) {
    json.push_str(&serde_json::to_string(text).expect("a string is JSON"));
}

/// Returns the place of the element that is being written.
fn place(at: &str, open: &[Open<'_>]) -> String {
    open.iter().fold(at.to_owned(), |place, it| match it {
        Open::Items(_, index) => format!("{place}.items[{index}]"),
        Open::Entries(_, key) => place + &entry_segment(key),
    })
}
