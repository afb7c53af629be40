//! Literals as text.

use crate::syntax::{Literal, LiteralKind, Name};

/// Prints a literal.
pub(super) fn literal(it: &Literal) -> String {
    match &it.kind {
        LiteralKind::Null | LiteralKind::Broken => "null".to_owned(),
        LiteralKind::Bool(value) => value.to_string(),
        LiteralKind::Number(value) => value.to_string(),
        LiteralKind::Text(text) => quoted(text),
        LiteralKind::Regex { pattern, flags } => format!("/{pattern}/{flags}"),
        LiteralKind::Name(path) => path.text(),
        LiteralKind::List(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        LiteralKind::Object(fields) if fields.is_empty() => "{}".to_owned(),
        LiteralKind::Object(fields) => {
            let field = |(name, value): &(Name, Literal)| format!("{}: {}", key(&name.text), literal(value));
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Prints a name, in quotes if it is no identifier.
pub(super) fn key(name: &str) -> String {
    let is_start = |char: char| char.is_ascii_alphabetic() || matches!(char, '_' | '$');
    let is_plain = name.starts_with(is_start)
        && name.chars().all(|char| is_start(char) || char.is_ascii_digit())
        && !matches!(name, "true" | "false" | "null");
    if is_plain { name.to_owned() } else { quoted(name) }
}

/// Prints a text as a literal, in double quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' | '$' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if char.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(char))),
            char => out.push(char),
        }
    }
    out.push('"');
    out
}
