//! Texts as literals that show every character.

use std::fmt::Write as _;

/// Returns a text as a literal of JSON, which is also one of TypeScript, Python and Go.
///
/// Characters that editors hide, that reorder what they show, or that end lines are escaped.
pub(super) fn quoted(text: &str) -> String {
    let json = serde_json::Value::String(text.to_owned()).to_string();
    let mut quoted = String::with_capacity(json.len());
    for char in json.chars() {
        match char {
            char if is_hidden(char) => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(char));
            }
            char => quoted.push(char),
        }
    }
    quoted
}

/// Returns `true` for control and format characters of the basic plane, and for separators of lines.
fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(char, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!(quoted("a\"\\\n é😀"), r#""a\"\\\n é😀""#);
        let hidden = "\u{0}\u{7f}\u{85}\u{200d}\u{202e}\u{2028}\u{feff}";
        assert_eq!(quoted(hidden), r#""\u0000\u007f\u0085\u200d\u202e\u2028\ufeff""#);
        assert_eq!(serde_json::from_str::<String>(&quoted(hidden)).expect("it is JSON"), hidden);
    }
}
