//! Templates, `uses of ${name}` and `uses of \{name}`, which are plain text here.

use super::{hole_meant, read};
use crate::ast::Expression;
use crate::lex::{lex, text::escape};
use crate::token::TokenKind;
use crate::{printer, quote};

/// The most bytes of a template, and the most expressions in one that are read.
const LONGEST: usize = 2_000;
const MANY: usize = 20;

/// The openings of expressions in texts of other languages.
const OPENERS: [&str; 2] = ["${", "\\{"];

/// A text that was meant as a template.
pub(crate) struct Template {
    /// The first `${…}` or `\{…}` in the text.
    pub(crate) found: String,
    /// The sum that is meant, if that is certain.
    pub(crate) instead: Option<String>,
}

/// Returns the template that a raw text of the program `source` is meant as. `is_meant` tells expressions from text.
pub(crate) fn template(source: &str, raw: &str, is_meant: &dyn Fn(&Expression) -> bool) -> Option<Template> {
    let mut openers: Vec<(usize, &str)> = OPENERS.iter().flat_map(|it| raw.match_indices(it)).collect();
    if openers.is_empty() {
        return None;
    }
    openers.sort_unstable();
    let is_fraction = |kind: &TokenKind| match kind {
        TokenKind::Mark(mark) => *mark == "/",
        TokenKind::Number(number) => number.is_f64(),
        _ => false,
    };
    let has_fractions = lex(source).tokens.iter().any(|it| is_fraction(&it.kind));
    let (mut found, mut parts) = (None, Some(Vec::new()));
    let mut behind = 0;
    for (start, opener) in openers.into_iter().take(MANY) {
        let rest = &raw[start + opener.len()..];
        let Some(code) = inside(rest).filter(|it| start >= behind && it.len() <= LONGEST) else {
            continue;
        };
        let meant = hole_meant(code, has_fractions);
        if !meant.as_ref().map(|(_, it)| it).or(read(code).as_ref()).is_some_and(is_meant) {
            continue;
        }
        let end = start + opener.len() + code.len() + 1;
        found.get_or_insert_with(|| raw[start..end].to_owned());
        parts = with_text(parts, &raw[behind..start]).zip(meant).map(|(mut parts, (text, _))| {
            parts.push((false, format!("({text})")));
            parts
        });
        behind = end;
    }
    let parts = with_text(parts, &raw[behind..]);
    let instead = || printer::program(&read(&joined(parts?))?);
    found.map(|found| Template { found, instead: instead() })
}

/// Adds text, with its escapes as templates have them.
fn with_text(parts: Option<Vec<(bool, String)>>, raw: &str) -> Option<Vec<(bool, String)>> {
    let mut parts = parts?;
    let text = unescaped(raw)?;
    parts.extend((!text.is_empty()).then(|| (true, quote::text(&text))));
    Some(parts)
}

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
