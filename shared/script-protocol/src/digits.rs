//! Integers that have more digits than a number of JavaScript, or of 64 bits, can hold.

use std::ops::Range;

use json_text::text_length;
use serde::{Deserialize, Serialize};

/// The largest integer up to which JavaScript has all of them.
const MOST_EXACT: u64 = (1 << 53) - 1;

/// JSON that JavaScript can read without a loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exact {
    /// The JSON. Integers that no number of JavaScript holds are texts: the mark, and then the digits. Other texts with the
    /// mark are a [`Marked`](crate::Marked).
    pub json: String,
    /// The mark, with which no other text begins; absent where there is no such integer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

impl Exact {
    /// Marks the large integers of a JSON text that serde_json has written.
    pub fn new(json: String) -> Self {
        let large = large(&json);
        if large.is_empty() {
            return Self { json, mark: None };
        }
        let mark = free_mark(&json);
        Self { json: marked(&json, &mark, large), mark: Some(mark) }
    }

    /// Marks the large integers, and what else `write` marks in the same JSON text when it is given a mark with which no
    /// text in it begins.
    pub fn with(json: &str, write: impl FnOnce(&str) -> String) -> Self {
        let mark = free_mark(json);
        let json = write(&mark);
        Self { json: marked(&json, &mark, large(&json)), mark: Some(mark) }
    }
}

/// Returns a mark with which no text begins.
fn free_mark(json: &str) -> String {
    let mut mark = "#".to_owned();
    while json.contains(&format!("\"{mark}")) {
        mark.push('#');
    }
    mark
}

fn large(json: &str) -> Vec<Range<usize>> {
    integers(json).filter(|it| !is_exact(&json[it.clone()])).collect()
}

fn marked(json: &str, mark: &str, large: Vec<Range<usize>>) -> String {
    let (mut marked, mut copied) = (String::with_capacity(json.len() + 8 * large.len()), 0);
    for Range { start, end } in large {
        marked.push_str(&json[copied..start]);
        marked.push_str(&format!("\"{mark}{}\"", &json[start..end]));
        copied = end;
    }
    marked.push_str(&json[copied..]);
    marked
}

fn is_exact(integer: &str) -> bool {
    integer.trim_start_matches('-').parse::<u64>().is_ok_and(|it| it <= MOST_EXACT)
}

/// Returns the first integer in a JSON text that neither `i64` nor `u64` holds, so that reading it would change it.
pub fn too_long(json: &str) -> Option<&str> {
    let mut each = integers(json).map(|it| &json[it]);
    each.find(|it| it.parse::<i64>().is_err() && it.parse::<u64>().is_err())
}

/// Returns the places of the integers in a JSON text.
fn integers(json: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let (bytes, mut at) = (json.as_bytes(), 0);
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at) {
            let start = at;
            match byte {
                b'"' => at += text_length(&bytes[at..]).unwrap_or(bytes.len() - at),
                b'-' | b'0'..=b'9' => {
                    let is_number = |it: &&u8| it.is_ascii_alphanumeric() || b"+-.".contains(*it);
                    at += bytes[at..].iter().take_while(is_number).count();
                    if bytes[start..at].iter().all(|it| *it == b'-' || it.is_ascii_digit()) {
                        return Some(start..at);
                    }
                }
                _ => at += 1,
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_integers_beyond_64_bits_are_found() {
        for (json, expected) in [
            ("[9223372036854775808, -9223372036854775808, 18446744073709551615]", None),
            ("{\"a\": 18446744073709551616}", Some("18446744073709551616")),
            ("-9223372036854775809", Some("-9223372036854775809")),
            ("[1e30, 1.5, 100000000000000000000.0]", None),
            ("{\"18446744073709551616\": \"\\\\\", \"b\": \"\\\"18446744073709551616\"}", None),
            ("\"18446744073709551616", None),
            ("", None),
        ] {
            assert_eq!(too_long(json), expected, "{json}");
        }
    }

    #[test]
    fn integers_beyond_those_of_javascript_are_marked() {
        let marked = |json: &str| {
            let Exact { json, mark } = Exact::new(json.to_owned());
            mark.map_or(json.clone(), |mark| format!("{mark} {json}"))
        };
        for (json, expected) in [
            (
                "[9007199254740991, -9007199254740991, 1e30, 1.5]",
                "[9007199254740991, -9007199254740991, 1e30, 1.5]",
            ),
            ("[9007199254740992]", "# [\"#9007199254740992\"]"),
            ("{\"id\":-9007199254740993}", "# {\"id\":\"#-9007199254740993\"}"),
            ("[\"#x\", \"##\", 18446744073709551615]", "### [\"#x\", \"##\", \"###18446744073709551615\"]"),
            ("{\"9007199254740993\": \"9007199254740993\"}", "{\"9007199254740993\": \"9007199254740993\"}"),
        ] {
            assert_eq!(marked(json), expected);
        }
    }
}
