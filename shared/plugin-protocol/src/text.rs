//! Text as peers send it: bytes that are no UTF-8, halves of surrogate pairs, and lines that are worth
//! showing.

use std::borrow::Cow;

use json_text::{Escape, replace_escapes};

use crate::limits::EXCERPT_CHARS;

/// Returns the text of a message. What no Rust string can hold becomes U+FFFD.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let repaired = replace_escapes(&text, |it| matches!(it, Escape::Half(_)).then(|| "\\ufffd".to_owned()));
    match repaired {
        Cow::Borrowed(_) => text,
        Cow::Owned(repaired) => repaired,
    }
}

/// Returns the start of a text on one line, without characters that a terminal obeys.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    for character in text.trim().chars().take(EXCERPT_CHARS) {
        match character {
            it if it.is_control() => shown.extend(it.escape_default()),
            it => shown.push(it),
        }
    }
    if text.trim().chars().nth(EXCERPT_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_halves_become_the_replacement_character() {
        for (json, repaired) in [
            (r#""\ud83dx""#, r#""\ufffdx""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d \"\ud83dé""#, r#""\\ud83d \"\ufffdé""#),
            (r#""\ud83d\ude00 \u00e9 \é""#, r#""\ud83d\ude00 \u00e9 \é""#),
        ] {
            assert_eq!(decode(json.as_bytes()), repaired);
        }
    }

    #[test]
    fn bytes_that_are_no_text_become_the_replacement_character() {
        assert_eq!(decode(b"\"a\xff\xfeb\xc3\""), "\"a\u{fffd}\u{fffd}b\u{fffd}\"");
    }

    #[test]
    fn an_excerpt_is_one_line_that_no_terminal_obeys() {
        assert_eq!(excerpt(" a\n\u{1b}[31m\r\n"), "a\\n\\u{1b}[31m");
        assert_eq!(excerpt(&"x".repeat(500)).chars().count(), EXCERPT_CHARS + 1);
    }
}
