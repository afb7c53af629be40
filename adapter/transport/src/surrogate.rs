//! Lone halves of surrogate pairs. A JavaScript program that cuts a text between two UTF-16 units writes
//! `"\ud83d"`. That is valid JSON, but no Rust string can hold it.
//!
//! They pass through this process as private characters after a [`MARK`], and leave it unchanged.

use std::borrow::Cow;

/// The character before an encoded half, and before a mark that was in the text.
const MARK: char = '\u{10d7ff}';

/// The offset of the private characters: a half is encoded as its code plus this.
const PRIVATE: u32 = 0x10_0000;

/// Encodes what no Rust string can hold in the strings of a JSON text. A text without such parts is not copied.
pub(crate) fn hide(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let (mut hidden, mut copied, mut at) = (String::new(), 0, 0);
    // The first byte of a mark, 0xf4, starts only characters of the last plane.
    while let Some(found) = memchr::memchr2(b'\\', 0xf4, &bytes[at..]) {
        at += found;
        let (length, instead) = escape(&json[at..]);
        if let Some(instead) = instead {
            hidden.push_str(&json[copied..at]);
            hidden.push(MARK);
            hidden.push(instead);
            copied = at + length;
        }
        at += length;
    }
    match copied {
        0 => Cow::Borrowed(json),
        _ => Cow::Owned(hidden + &json[copied..]),
    }
}

/// Returns the length of the first character or escape in `json`. Returns with it the character that encodes
/// it after a mark, if it has to be encoded.
fn escape(json: &str) -> (usize, Option<char>) {
    if json.starts_with(MARK) {
        return (MARK.len_utf8(), Some(MARK));
    }
    match unit(json) {
        Some(high @ 0xd800..0xdc00) => match json.get(6..).and_then(unit) {
            Some(low @ 0xdc00..0xe000) => {
                let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                (12, (code == u32::from(MARK)).then_some(MARK))
            }
            _ => (6, char::from_u32(PRIVATE + high)),
        },
        Some(low @ 0xdc00..0xe000) => (6, char::from_u32(PRIVATE + low)),
        Some(_) => (6, None),
        // Another escape has two characters; anything else has one.
        None => {
            let mut characters = json.chars();
            let first = characters.next().map_or(1, char::len_utf8);
            let second = characters.next().filter(|_| json.starts_with('\\')).map_or(0, char::len_utf8);
            (first + second, None)
        }
    }
}

/// Returns the UTF-16 unit of an escape `\uXXXX`.
fn unit(json: &str) -> Option<u32> {
    let digits = json.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|it| it.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Reverses [`hide`] in a JSON text. A mark whose second character was cut off becomes U+FFFD.
pub(crate) fn reveal(json: String) -> String {
    if memchr::memmem::find(json.as_bytes(), MARK.encode_utf8(&mut [0; 4]).as_bytes()).is_none() {
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
            let length = match unit(rest) {
                Some(it) => {
                    units.push(u16::try_from(it).unwrap());
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
