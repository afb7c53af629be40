//! Sanitizing of third-party text.

use source_text::is_hidden;

/// Joins a text into one line without invisible and direction-changing characters, truncated to `most`
/// characters.
pub fn plain(text: &str, most: usize) -> String {
    let spaced = text.chars().map(|it| if it.is_control() || is_space(it) { ' ' } else { it });
    let spaced: String = spaced.filter(|it| !is_hidden(*it)).collect();
    let words = spaced.split(' ').filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(most) {
        None => words,
        Some(_) => words.chars().take(most - 1).chain(['…']).collect(),
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

/// Returns `true` for separators, tabs and other gaps.
fn is_space(char: char) -> bool {
    char.is_whitespace() || char == '\u{2800}'
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
            prop_assert!(!shown.chars().any(is_hidden));
            prop_assert_eq!(plain(&shown, most), shown.clone());
        }
    }
}
