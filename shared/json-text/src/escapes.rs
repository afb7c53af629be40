//! The escapes of characters by their UTF-16 units. A JavaScript program that cuts a text between two units writes
//! `"\ud83d"`. That is valid JSON, but no Rust string can hold it.

use std::borrow::Cow;

/// The start of an escape.
const START: &str = "\\u";

/// A character that a JSON text spells as `\uXXXX`, or as two of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// A character.
    Whole(char),
    /// One half of a surrogate pair without the other: a unit from 0xd800 to 0xdfff.
    Half(u16),
}

/// Replaces escapes for which `instead` has another text. A text without such escapes is not copied.
pub fn replace_escapes(json: &str, mut instead: impl FnMut(Escape) -> Option<String>) -> Cow<'_, str> {
    let (mut replaced, mut copied, mut at) = (String::new(), 0, 0);
    let start = memchr::memmem::Finder::new(START);
    while let Some(found) = start.find(&json.as_bytes()[at..]) {
        at += found;
        let Some((escape, length)) = escape(&json[at..]).filter(|_| !is_escaped(json, at)) else {
            at += START.len();
            continue;
        };
        if let Some(instead) = instead(escape) {
            replaced.push_str(&json[copied..at]);
            replaced.push_str(&instead);
            copied = at + length;
        }
        at += length;
    }
    match copied {
        0 => Cow::Borrowed(json),
        _ => Cow::Owned(replaced + &json[copied..]),
    }
}

/// Returns true if the backslash at this offset is the second one of an escaped backslash.
fn is_escaped(json: &str, at: usize) -> bool {
    let before = json.as_bytes()[..at].iter().rev().take_while(|it| **it == b'\\');
    before.count() % 2 == 1
}

/// Returns the character that the escapes at the start spell, and their length in bytes.
fn escape(json: &str) -> Option<(Escape, usize)> {
    let first = unit(json)?;
    let second = unit(&json[6..]).filter(|_| (0xd800..0xdc00).contains(&first));
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    Some(match (pair, char::from_u32(first.into())) {
        (Some(pair), _) => (Escape::Whole(pair), 12),
        (None, Some(character)) => (Escape::Whole(character), 6),
        (None, None) => (Escape::Half(first), 6),
    })
}

/// Returns the UTF-16 unit of an escape `\uXXXX` at the start.
fn unit(json: &str) -> Option<u16> {
    let digits = json.strip_prefix(START)?.get(..4)?;
    let is_hex = digits.bytes().all(|it| it.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn escapes(json: &str) -> Vec<Escape> {
        let mut found = Vec::new();
        let unchanged = replace_escapes(json, |it| {
            found.push(it);
            None
        });
        assert!(matches!(unchanged, Cow::Borrowed(it) if it == json));
        found
    }

    #[test]
    fn pairs_are_one_character() {
        use Escape::{Half, Whole};
        assert_eq!(escapes(r"\ud83d\ude00 \u00e9 \é\\ud83d \n"), [Whole('😀'), Whole('é')]);
        assert_eq!(escapes(r"\ude00\ud83d\ud83d\ude00"), [Half(0xde00), Half(0xd83d), Whole('😀')]);
        assert_eq!(escapes(r"\ud83dx\u12 \"), [Half(0xd83d)]);
        assert_eq!(replace_escapes(r"a\ud83db", |_| Some("?".to_owned())), "a?b");
    }

    /// Reads one escape after the other, from the start.
    fn each_in_turn(json: &str) -> Vec<Escape> {
        let (mut found, mut rest) = (Vec::new(), json);
        while let Some(at) = rest.find('\\') {
            rest = &rest[at..];
            match escape(rest) {
                Some((escape, length)) => {
                    found.push(escape);
                    rest = &rest[length..];
                }
                None => rest = &rest[1 + rest[1..].chars().next().map_or(0, char::len_utf8)..],
            }
        }
        found
    }

    proptest! {
        #[test]
        fn no_escape_is_missed_and_none_is_found_in_another(json in r#"(\\|u|d|8|3|"|é|\\u0041|\\ud83d|\\ude00){0,16}"#) {
            prop_assert_eq!(escapes(&json), each_in_turn(&json));
        }

        #[test]
        fn any_text_is_read(json in r#"(\\|u|d|8|3|"|é|😀|\\ud83d|\\ude00){0,12}"#) {
            let halves = replace_escapes(&json, |it| matches!(it, Escape::Half(_)).then(String::new));
            prop_assert!((json.len() - halves.len()).is_multiple_of(6));
        }
    }
}
