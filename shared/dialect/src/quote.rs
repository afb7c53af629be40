//! Text as programs spell it: raw between backticks, or in double quotes with escapes.

use std::fmt::Write;

use source_text::{is_hidden, is_visible};

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
    if text.contains('`') || text.contains("${") || !is_visible(text) {
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
            _ if is_hidden(char) => print_units(out, char),
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// Appends the escapes of a character, of which JSON needs two beyond the basic plane.
fn print_units(out: &mut String, char: char) {
    for unit in char.encode_utf16(&mut [0; 2]) {
        write!(out, "\\u{unit:04x}").expect("a string takes everything");
    }
}

/// Returns `true` if a key of an object needs no quotes.
pub(crate) fn is_plain_key(key: &str) -> bool {
    key.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
        && key.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}
