//! Texts of other languages: with prefixes, escapes, and expressions in them.

use super::scan::{Kind, Token, scan_hole};

/// A part of a template.
#[derive(Clone, Debug)]
pub(super) enum Part<'source> {
    Text(String),
    Hole(Vec<Token<'source>>),
}

/// A text token and its length; `None` for one without a certain meaning.
type Read<'source> = Option<(Kind<'source>, usize)>;

/// Reads a text, if one starts here.
pub(super) fn quoted(rest: &str) -> Option<Read<'_>> {
    const CURLY: &[(&str, &str)] =
        &[("“", "”"), ("‘", "’"), ("„", "“"), ("«", "»"), ("\\\"", "\\\""), ("\\'", "\\'"), ("\\`", "\\`")];
    if let Some((opener, closer)) = CURLY.iter().find(|(opener, _)| rest.starts_with(opener)) {
        return Some(
            between(rest, opener, closer).filter(|(text, _)| !text.contains(['\n', '\\'])).map(plain),
        );
    }
    if rest.starts_with('`') {
        return Some(backticks(rest));
    }
    let letters = rest.find(['"', '\'']).filter(|it| *it <= 2)?;
    let prefix = rest[..letters].to_ascii_lowercase();
    if !matches!(prefix.as_str(), "" | "r" | "f" | "b" | "u" | "@" | "rf" | "fr") {
        return None;
    }
    let quote = &rest[letters..];
    let triple = ["\"\"\"", "'''"].into_iter().find(|it| quote.starts_with(it));
    let opener = triple.unwrap_or(&quote[..1]);
    let is_raw = prefix.contains(['r', '@']);
    Some(if prefix.contains('f') {
        template(rest, letters, opener, is_raw)
    } else {
        literal(rest, letters, opener, is_raw)
    })
}

/// Returns what is between two marks, and the length with them.
fn between<'source>(rest: &'source str, opener: &str, closer: &str) -> Option<(&'source str, usize)> {
    let inner = rest.strip_prefix(opener)?;
    let end = inner.find(closer)?;
    Some((&inner[..end], opener.len() + end + closer.len()))
}

fn plain<'source>((text, length): (&str, usize)) -> (Kind<'source>, usize) {
    (Kind::Text(text.to_owned()), length)
}

fn literal<'source>(rest: &'source str, letters: usize, opener: &str, is_raw: bool) -> Read<'source> {
    let start = letters + opener.len();
    let mut text = String::new();
    let mut at = start;
    while !rest[at..].starts_with(opener) {
        at += character(&rest[at..], opener, is_raw, &mut text)?;
    }
    Some((Kind::Text(text), at + opener.len()))
}

/// Reads a character of a text, with its escape, and returns its length.
fn character(rest: &str, opener: &str, is_raw: bool, text: &mut String) -> Option<usize> {
    let char = rest.chars().next()?;
    if matches!(char, '\n' | '\r') && opener.len() == 1 && opener != "`" {
        return None;
    }
    if char != '\\' || is_raw {
        // In raw text a backslash keeps the quote behind it.
        if char == '\\' && rest[1..].starts_with(opener) {
            return None;
        }
        text.push(char);
        return Some(char.len_utf8());
    }
    let letter = rest[1..].chars().next()?;
    text.push(match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '\\' | '"' | '\'' | '`' | '/' | '$' => letter,
        'u' => {
            let digits = rest.get(2..6).filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()))?;
            text.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
            return Some(6);
        }
        _ => return None,
    });
    Some(1 + letter.len_utf8())
}

/// Decodes the escapes of a template's text.
pub(super) fn unescaped(raw: &str) -> Option<String> {
    let mut text = String::new();
    let mut at = 0;
    while at < raw.len() {
        at += character(&raw[at..], "`", false, &mut text)?;
    }
    Some(text)
}

/// Reads `f"uses of {name}"`.
fn template<'source>(rest: &'source str, letters: usize, opener: &str, is_raw: bool) -> Read<'source> {
    let mut at = letters + opener.len();
    let (mut parts, mut text) = (Vec::new(), String::new());
    while !rest[at..].starts_with(opener) {
        if let Some(brace) = ["{{", "}}"].into_iter().find(|it| rest[at..].starts_with(it)) {
            text.push_str(&brace[..1]);
            at += 2;
        } else if rest[at..].starts_with('{') {
            let code = inside(&rest[at + 1..])?;
            parts.extend((!text.is_empty()).then(|| Part::Text(std::mem::take(&mut text))));
            parts.push(Part::Hole(scan_hole(code)?));
            at += code.len() + 2;
        } else {
            at += character(&rest[at..], opener, is_raw, &mut text)?;
        }
    }
    parts.extend((!text.is_empty()).then_some(Part::Text(text)));
    Some((Kind::Template { parts, raw: None }, at + opener.len()))
}

/// Reads raw text, or a template.
fn backticks(rest: &str) -> Read<'_> {
    let plain_text = between(rest, "`", "`")?;
    if !plain_text.0.contains("${") {
        return Some(plain(plain_text));
    }
    let mut at = 1;
    let (mut parts, mut text) = (Vec::new(), String::new());
    while !rest[at..].starts_with('`') {
        if rest[at..].starts_with("${") {
            let code = inside(&rest[at + 2..])?;
            parts.extend((!text.is_empty()).then(|| Part::Text(std::mem::take(&mut text))));
            parts.push(Part::Hole(scan_hole(code)?));
            at += code.len() + 3;
        } else {
            at += character(&rest[at..], "`", false, &mut text)?;
        }
    }
    parts.extend((!text.is_empty()).then_some(Part::Text(text)));
    let raw = Some(&rest[1..at]);
    Some((Kind::Template { parts, raw }, at + 1))
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

/// Reads `/User/i`.
pub(super) fn pattern(rest: &str) -> Read<'_> {
    let line = rest.lines().next()?;
    let mut escaped = true;
    let mut in_class = false;
    let end = line.char_indices().find_map(|(at, char)| {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(at),
            _ => {}
        }
        None
    })?;
    let flags: String = line[end + 1..].chars().take_while(char::is_ascii_alphabetic).collect();
    let length = end + 1 + flags.len();
    (end > 1).then(|| (Kind::Pattern { pattern: line[1..end].replace("\\/", "/"), flags }, length))
}
