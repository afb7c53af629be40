//! The parts of texts with expressions in them.

use crate::lex::text::escape;

/// Joins texts and values to one text; `true` marks a text.
pub(super) fn joined(parts: Vec<(bool, String)>) -> String {
    // Without a text among the first two, numbers would be added.
    let has_text = parts.iter().take(2).any(|(is_text, _)| *is_text);
    let empty = (!has_text).then(|| "\"\"".to_owned());
    empty.into_iter().chain(parts.into_iter().map(|it| it.1)).collect::<Vec<_>>().join(" + ")
}

/// Decodes the escapes of a template's text.
pub(super) fn unescaped(raw: &str) -> Option<String> {
    let (mut text, mut rest) = (String::new(), raw);
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, char) = if rest.starts_with("\\$") { (2, Some('$')) } else { escape(rest) };
        text.push(char?);
        rest = &rest[length..];
    }
    Some(text + rest)
}

/// Returns the code before the brace that closes it.
pub(super) fn inside(rest: &str) -> Option<&str> {
    let mut open = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        let char = rest[at..].chars().next()?;
        match char {
            '"' | '\'' | '`' => at += skip_text(&rest[at..], char)?,
            '{' | '(' | '[' => open += 1,
            '}' if open == 0 => return Some(&rest[..at]),
            '}' | ')' | ']' => open = open.checked_sub(1)?,
            '\\' => return None,
            _ => {}
        }
        at += char.len_utf8();
    }
    None
}

/// Returns the offset of the quote that closes the text at the start.
fn skip_text(rest: &str, quote: char) -> Option<usize> {
    let mut at = 1;
    loop {
        let char = rest[at..].chars().next()?;
        match char {
            _ if char == quote => return Some(at),
            '$' if quote == '`' && rest[at..].starts_with("${") => at += inside(&rest[at + 2..])?.len() + 2,
            '\\' => at += rest[at + 1..].chars().next()?.len_utf8(),
            _ => {}
        }
        at += char.len_utf8();
    }
}
