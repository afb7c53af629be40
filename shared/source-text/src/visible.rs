//! Characters that hide, reorder text or move a cursor, shown as escapes.
//!
//! Names and messages are one line in which all of them are escaped ([`visible_line`]). The text of a file keeps its
//! lines, and what belongs to a visible character ([`visible`], [`is_visible`]).

use std::borrow::Cow;

/// Returns `true` for a character that is invisible, breaks a line or affects the text around it. A space is none.
pub fn is_hidden(char: char) -> bool {
    char.is_control() || is_format(char) || matches!(char, '\u{2028}' | '\u{2029}' | '\u{2800}')
}

/// Escapes the hidden characters of a text: `\u{202e}`.
///
/// Line feeds and tabs stay, and so do joiners and variation selectors that belong to a visible character; a carriage
/// return before a line feed is dropped.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (char, is_shown) in marked(&text.replace("\r\n", "\n")) {
        if is_shown { shown.push(char) } else { shown.extend(char.escape_unicode()) }
    }
    shown
}

/// Escapes all hidden characters, line feeds and tabs too, and truncates the line to `most` characters, `…` included.
///
/// [`from_visible_line`] reads what is not truncated.
pub fn visible_line(text: &str, most: usize) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => line.push_str("\\n"),
            '\t' => line.push_str("\\t"),
            char if is_hidden(char) => line.extend(char.escape_unicode()),
            char => line.push(char),
        }
    }
    match line.char_indices().nth(most) {
        None => line,
        Some(_) => line.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Returns the text that [`visible_line`] shows as this line, or `None` if nothing is escaped in the line.
pub fn from_visible_line(line: &str) -> Option<String> {
    let mut text = String::with_capacity(line.len());
    let (mut rest, mut is_changed) = (line, false);
    while let Some(index) = rest.find('\\') {
        let (before, escape) = rest.split_at(index);
        text.push_str(before);
        let (char, length) = escaped(escape).unwrap_or(('\\', 1));
        is_changed |= length > 1;
        text.push(char);
        rest = &escape[length..];
    }
    text.push_str(rest);
    is_changed.then_some(text)
}

/// Reads an escape at the start: the character, and the length of the escape.
fn escaped(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('\\')?;
    match rest.chars().next()? {
        'n' => Some(('\n', 2)),
        't' => Some(('\t', 2)),
        'u' => {
            let (digits, _) = rest.strip_prefix("u{")?.split_once('}')?;
            let char = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            is_hidden(char).then_some((char, "\\u{}".len() + digits.len()))
        }
        _ => None,
    }
}

/// Escapes in a JSON text what [`visible`] escapes, so that the text means the same.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if is_visible(json) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for (char, is_shown) in marked(json) {
        if is_shown {
            escaped.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(escaped)
}

/// Returns `true` if [`visible`] leaves the text as it is.
pub fn is_visible(text: &str) -> bool {
    text.bytes().all(|it| matches!(it, b' '..=b'~' | b'\n' | b'\t'))
        || marked(text).all(|(_, is_shown)| is_shown)
}

/// Returns each character, with `true` if it stays.
fn marked(text: &str) -> impl Iterator<Item = (char, bool)> {
    text.chars().scan(' ', |before, char| {
        let belongs = !before.is_ascii() && !is_hidden(*before) && joins(char);
        *before = char;
        Some((char, belongs || matches!(char, '\n' | '\t') || !is_hidden(char)))
    })
}

/// Returns `true` for a joiner or selector that is a part of how the character before it looks: in emoji, in Persian.
fn joins(char: char) -> bool {
    matches!(char, '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}')
}

/// Returns `true` for format characters: zero width, direction, tags, variations, fillers.
fn is_format(char: char) -> bool {
    matches!(u32::from(char),
        0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF
        | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_hides_is_escaped() {
        for (text, expected) in [
            ("let a = `é`;\r\n\tb\n", "let a = `é`;\n\tb\n"),
            ("a\u{202E}b\u{2066}c\u{200B}d\u{FEFF}e", "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{feff}e"),
            ("a\u{2028}b\u{85}c\u{7}d\re\u{1b}[1A", "a\\u{2028}b\\u{85}c\\u{7}d\\u{d}e\\u{1b}[1A"),
        ] {
            assert_eq!(visible(text), expected);
        }
        assert_eq!(visible_line("a\n\u{202E}b", 200), "a\\n\\u{202e}b");
        assert_eq!(visible_line("abcdef", 4), "abc…");
    }

    #[test]
    fn joiners_belong_to_visible_characters() {
        for whole in ["👩\u{200D}💻", "❤\u{FE0F}", "می\u{200C}خواهم"] {
            assert_eq!(visible(whole), whole);
            assert!(visible_line(whole, 99).is_ascii() || visible_line(whole, 99).contains("\\u{"));
        }
        for (hiding, expected) in [
            ("us\u{200D}er", "us\\u{200d}er"),
            ("é\u{FE0F}\u{FE0F}", "é\u{FE0F}\\u{fe0f}"),
            ("\u{202E}\u{200D}", "\\u{202e}\\u{200d}"),
        ] {
            assert_eq!(visible(hiding), expected);
        }
    }

    #[test]
    fn json_stays_the_same_json() {
        let json = "[\"a\u{9b}\u{202e}\u{e0041}\u{7f}é😀\\n\\\"\"]";
        assert_eq!(visible_json(json), r#"["a\u009b\u202e\udb40\udc41\u007fé😀\n\""]"#);
    }

    #[test]
    fn only_escapes_of_ours_are_read() {
        for (line, expected) in [
            (r"a\nb\u{1b}[0m\u{202e}.py", Some("a\nb\u{1b}[0m\u{202e}.py")),
            (r"C:\temp", Some("C:\temp")),
            (r"src\app.rs", None),
            (r"a\u{61}", None),
            (r"a\u{1b", None),
            (r"a\u{110000}\", None),
            ("a.rs", None),
        ] {
            assert_eq!(from_visible_line(line).as_deref(), expected, "{line}");
        }
    }

    /// Texts in which hidden characters are frequent.
    fn hostile() -> impl Strategy<Value = String> {
        let special =
            "[\n\r\t\u{1b}\u{7}\u{9b}\u{7f}\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{e0041}\u{fe0f}é👩]";
        prop::collection::vec(
            prop_oneof![
                special.prop_map(|it: String| it),
                "[a-z: ]{1,3}",
                any::<char>().prop_map(String::from)
            ],
            0..12,
        )
        .prop_map(|it| it.concat())
    }

    proptest! {
        #[test]
        fn nothing_hides_in_a_line(text in hostile()) {
            let line = visible_line(&text, usize::MAX);
            prop_assert!(!line.chars().any(is_hidden), "{line:?}");
            prop_assert_eq!(visible_line(&line, usize::MAX), line.clone());
            if !text.contains('\\') {
                prop_assert_eq!(from_visible_line(&line).unwrap_or(line), text);
            }
        }

        #[test]
        fn a_visible_text_stays_and_has_its_lines(text in hostile()) {
            let shown = visible(&text);
            prop_assert!(is_visible(&shown), "{shown:?}");
            prop_assert_eq!(visible(&shown), shown.clone());
            prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
            prop_assert_eq!(is_visible(&text), shown == text);
        }
    }
}
