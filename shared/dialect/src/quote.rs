//! Text as programs spell it: raw between backticks, or in double quotes with escapes.

use std::fmt::Write;

/// Returns `text` as a literal of a program, as [`print_text`] writes it.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::new();
    print_text(&mut out, text);
    out
}

/// Returns `text` in double quotes, with escapes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    print_quoted(&mut out, text);
    out
}

/// Appends `text` as a literal: between backticks if possible, in double quotes otherwise.
pub(crate) fn print_text(out: &mut String, text: &str) {
    let is_raw =
        !text.contains(|char: char| char == '`' || char.is_control() && char != '\n' && char != '\t');
    if !is_raw || text.contains("${") {
        return print_quoted(out, text);
    }
    out.push('`');
    out.push_str(text);
    out.push('`');
}

/// Appends `text` in double quotes, with escapes.
pub(crate) fn print_quoted(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if char.is_control() => {
                write!(out, "\\u{:04x}", u32::from(char)).expect("a string takes everything");
            }
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// Returns `true` if a key of an object needs no quotes.
pub(crate) fn is_plain_key(key: &str) -> bool {
    key.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
        && key.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}
