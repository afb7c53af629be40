//! Sanitizing of third-party text.

/// Joins a text into one line without invisible and direction-changing characters, truncated to `most`
/// characters.
pub fn plain(text: &str, most: usize) -> String {
    let visible = text.chars().filter(|it| !is_invisible(*it));
    let spaced: String = visible.map(|it| if it.is_control() || is_space(it) { ' ' } else { it }).collect();
    let words = spaced.split(' ').filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(most) {
        None => words,
        Some(_) => words.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// Escapes characters that are invisible or change the direction of text: `\u{202e}`.
///
/// Line feeds and tabs stay; a carriage return before a line feed is dropped. Unlike [`plain`], the result
/// shows all characters.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.replace("\r\n", "\n").chars() {
        match char {
            '\n' | '\t' => shown.push(char),
            char if is_hidden(char) || matches!(char, '\u{2028}' | '\u{2029}' | '\u{2800}') => {
                shown.extend(char.escape_unicode());
            }
            char => shown.push(char),
        }
    }
    shown
}

/// Escapes like [`visible`], on one line, truncated to `most` characters.
pub fn visible_line(text: &str, most: usize) -> String {
    let line = visible(text).replace('\n', "\\n").replace('\t', "\\t");
    match line.char_indices().nth(most) {
        None => line,
        Some(_) => line.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Sanitizes like [`plain`], and quotes the result as a JSON string.
pub fn quoted(text: &str, most: usize) -> String {
    serde_json::Value::from(plain(text, most)).to_string()
}

/// Sanitizes each line and quotes it as Markdown, with `most` characters in all lines together.
pub(super) fn quoted_lines(text: &str, most: usize) -> String {
    let mut left = most;
    let mut lines = Vec::new();
    for line in text.lines().filter(|_| most > 0) {
        if left == 0 {
            lines.push("> …".to_owned());
            break;
        }
        let line = plain(line, left);
        left -= line.chars().count();
        lines.push(format!("> {line}").trim_end().to_owned());
    }
    lines.join("\n")
}

/// Returns `true` for a character that is invisible or affects the text around it.
pub(super) fn is_hidden(char: char) -> bool {
    char.is_control() || is_invisible(char)
}

/// Returns `true` for separators, tabs and other gaps.
fn is_space(char: char) -> bool {
    char.is_whitespace() || char == '\u{2800}'
}

/// Returns `true` for format characters: zero width, direction, tags, variations, fillers.
fn is_invisible(char: char) -> bool {
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
    fn nothing_hides_and_nothing_breaks_the_frame() {
        for (text, expected) in [
            ("Write files", "Write files"),
            ("Write\nfiles:\r\n\tall", "Write files: all"),
            ("a\u{202E}b\u{2066}c\u{200B}d\u{FEFF}e\u{E0041}f", "abcdef"),
            ("a\u{2028}b\u{85}c\u{7}d", "a b c d"),
            ("  padded            out  ", "padded out"),
            ("", ""),
        ] {
            assert_eq!(plain(text, 200), expected);
        }
        assert_eq!(quoted("x\" (from \"ours\")", 200), r#""x\" (from \"ours\")""#);
    }

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
    fn what_is_long_is_cut_by_characters() {
        assert_eq!(plain("äöüß", 4), "äöüß");
        assert_eq!(plain("äöüßx", 4), "äöü…");
    }

    #[test]
    fn lines_stay_lines_of_a_quotation() {
        assert_eq!(quoted_lines("one\n\n# two\u{202e}", 99), "> one\n>\n> # two");
        assert_eq!(quoted_lines("one\ntwo\nthree", 5), "> one\n> t…\n> …");
        assert_eq!(quoted_lines("", 9), "");
    }

    proptest! {
        #[test]
        fn it_is_one_short_line_that_stays_as_it_is(text in any::<String>(), most in 1usize..50) {
            let shown = plain(&text, most);
            prop_assert!(shown.chars().count() <= most);
            prop_assert!(!shown.chars().any(|it| it.is_control() || is_invisible(it)));
            prop_assert_eq!(plain(&shown, most), shown.clone());
        }
    }
}
