//! Lone halves of surrogate pairs. A JavaScript program that cuts a text between two UTF-16 units writes
//! `"\ud83d"`. That is valid JSON, but no Rust string can hold it.
//!
//! They pass through this process as private characters after a [`MARK`], and leave it unchanged.

use std::borrow::Cow;

use json_text::{Escape, replace_escapes};

/// The character before an encoded half, and before a mark that was in the text.
const MARK: char = '\u{10d7ff}';

/// The offset of the private characters: a half is encoded as its code plus this.
const PRIVATE: u32 = 0x10_0000;

/// Encodes what no Rust string can hold in the strings of a JSON text. A text without such parts is not copied.
pub(crate) fn hide(json: &str) -> Cow<'_, str> {
    let marked = |character: char| Some(format!("{MARK}{character}"));
    let instead = |escape: Escape| match escape {
        Escape::Half(half) => marked(char::from_u32(PRIVATE + u32::from(half))?),
        Escape::Whole(MARK) => marked(MARK),
        Escape::Whole(_) => None,
    };
    if has_mark(json) {
        let doubled = json.replace(MARK, &format!("{MARK}{MARK}"));
        return Cow::Owned(replace_escapes(&doubled, instead).into_owned());
    }
    replace_escapes(json, instead)
}

fn has_mark(json: &str) -> bool {
    memchr::memmem::find(json.as_bytes(), MARK.encode_utf8(&mut [0; 4]).as_bytes()).is_some()
}

/// Reverses [`hide`] in a JSON text. A mark whose second character was cut off becomes U+FFFD.
pub(crate) fn reveal(json: String) -> String {
    if !has_mark(&json) {
        return json;
    }
    let mut revealed = String::with_capacity(json.len());
    let mut characters = json.chars();
    while let Some(character) = characters.next() {
        if character != MARK {
            revealed.push(character);
            continue;
        }
        let rest = characters.clone();
        match characters.next() {
            Some(MARK) => revealed.push(MARK),
            Some(half @ '\u{10d800}'..='\u{10dfff}') => {
                revealed.push_str(&format!("\\u{:04x}", u32::from(half) - PRIVATE));
            }
            _ => {
                revealed.push(char::REPLACEMENT_CHARACTER);
                characters = rest;
            }
        }
    }
    revealed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Reads a text as the SDK does and writes it again.
    fn through(json: &str) -> String {
        let value: Value =
            serde_json::from_str(&hide(json)).unwrap_or_else(|error| panic!("{json}: {error}"));
        reveal(value.to_string())
    }

    #[test]
    fn halves_leave_as_they_came() {
        for json in [r#""\ud83d""#, r#"["a\ude00b\ud83d",{"\udfff":1}]"#, r#""\ud800\ud800""#, r#""\ud83dA""#]
        {
            assert_eq!(through(json), json);
        }
        assert_eq!(through(r#""\uD83D""#), r#""\ud83d""#);
    }

    #[test]
    fn whole_characters_stay_what_they_are() {
        assert_eq!(through(r#""\ud83d\ude00""#), "\"😀\"");
        assert_eq!(through(r#""\\ud83d \"\\\ud83d""#), r#""\\ud83d \"\\\ud83d""#);
        assert_eq!(through("\"\u{10d7ff}\u{10d83d}\u{10ffff}\""), "\"\u{10d7ff}\u{10d83d}\u{10ffff}\"");
        assert_eq!(through(r#""\udbf5\udfff\ud83d""#), "\"\u{10d7ff}\\ud83d\"");
    }

    #[test]
    fn what_needs_nothing_is_not_copied() {
        assert!(matches!(hide(r#"{"text":"a\n\u00e9\ud83d\ude00 😀"}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn half_of_what_was_hidden_is_no_panic() {
        assert_eq!(reveal("\"\u{10d7ff}\"".to_owned()), "\"\u{fffd}\"");
        assert_eq!(reveal("\u{10d7ff}".to_owned()), "\u{fffd}");
    }

    proptest! {
        #[test]
        fn any_text_is_read(json in r#"(\\|u|d|8|3|"|é|😀|\x{10d7ff}|\x{10d83d}|\\ud83d|\\ude00){0,12}"#) {
            let hidden = hide(&json).into_owned();
            let is_cut = json.contains(MARK);
            prop_assert!(is_cut || reveal(hidden).len() == json.len());
        }

        #[test]
        fn any_string_comes_through(units in prop::collection::vec(
            prop_oneof![0x20_u16..0x7f, 0xd83d..0xd840_u16, 0xde00..0xde03_u16, Just(0xdbf5), Just(0xdfff)], 0..9,
        )) {
            let json = format!("\"{}\"", units.iter().map(|it| format!("\\u{it:04x}")).collect::<String>());
            prop_assert_eq!(units_of(&through(&json)), units);
        }
    }

    /// Returns the UTF-16 units of a JSON string.
    fn units_of(json: &str) -> Vec<u16> {
        let mut units = Vec::new();
        let mut rest = &json[1..json.len() - 1];
        while let Some(first) = rest.chars().next() {
            let escaped = rest.strip_prefix("\\u").map(|it| u16::from_str_radix(&it[..4], 16).unwrap());
            let length = match escaped {
                Some(it) => {
                    units.push(it);
                    6
                }
                None if first == '\\' => {
                    units.push(u16::from(rest.as_bytes()[1]));
                    2
                }
                None => {
                    units.extend_from_slice(first.encode_utf16(&mut [0; 2]));
                    first.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        units
    }
}
