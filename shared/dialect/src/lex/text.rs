//! Strings: raw between backticks, with JSON's escapes between quotes.

use source_text::Span;

use super::lexer::Lexer;
use crate::token::TokenKind;
use crate::{Failure, FailureKind, quote};

impl Lexer<'_> {
    pub(super) fn text(&mut self, quote: char) {
        if quote == '`' { self.raw() } else { self.quoted(quote) }
    }

    /// Reads and refuses quotes of other languages: `\"User\"`, `“User”`, `r"\bUser\b"`.
    pub(super) fn foreign_text(&mut self) -> bool {
        /// The most bytes of such a text, which is a name or a pattern.
        const LONGEST: usize = 500;
        const QUOTES: &[(&str, &str)] = &[
            ("\\\"", "\\\""),
            ("\\'", "\\'"),
            ("\\`", "\\`"),
            ("“", "”"),
            ("‘", "’"),
            ("„", "“"),
            ("«", "»"),
            ("r\"", "\""),
            ("r'", "'"),
            ("f\"", "\""),
            ("f'", "'"),
            ("b\"", "\""),
            ("@\"", "\""),
        ];
        let rest = self.rest();
        let first = rest.as_bytes()[0];
        let quotes = QUOTES.iter().filter(|(open, _)| open.as_bytes()[0] == first);
        let found = { quotes }.find_map(|(open, close)| {
            let inner = rest.strip_prefix(open)?;
            let end = inner.char_indices().nth(LONGEST).map_or(inner.len(), |(at, _)| at);
            let inner = &inner[..inner[..end].find(close)?];
            (!inner.contains(['\n', '\r'])).then_some((inner, open.len() + inner.len() + close.len()))
        });
        let Some((inner, length)) = found else { return false };
        let start = self.at;
        self.at += length;
        let instead = match rest.as_bytes()[0] {
            b'f' => "`…` + …".to_owned(),
            // Only raw text has no escapes.
            first if inner.contains('\\') && !matches!(first, b'r' | b'@') => "`…`".to_owned(),
            _ => quote::text(inner),
        };
        let found = rest[..length].to_owned();
        self.fail(Span::new(start, self.at), FailureKind::NotDialect { found, instead });
        self.push(start, TokenKind::Text(inner.to_owned()));
        true
    }

    fn raw(&mut self) {
        let start = self.at;
        let rest = &self.rest()[1..];
        let Some(length) = rest.find('`') else { return self.unterminated(start, '`') };
        self.at += length + 2;
        self.push(start, TokenKind::Text(rest[..length].to_owned()));
    }

    /// Skips the rest, which may or may not be part of the text.
    fn unterminated(&mut self, start: usize, quote: char) {
        self.lexed.swallowed = true;
        let over_lines = self.over_lines(start, quote);
        self.at = self.end;
        self.fail(Span::new(start, start + 1), FailureKind::UnterminatedText { quote, over_lines });
    }

    /// Returns the text from `start` to the next such quote on a later line, between backticks.
    fn over_lines(&self, start: usize, quote: char) -> Option<(Span, String)> {
        let rest = &self.source[start + 1..self.end];
        let inner = &rest[..rest.find(quote).filter(|_| quote != '`')?];
        let span = Span::new(start, start + inner.len() + 2);
        (!inner.contains(['`', '\\'])).then(|| (span, format!("`{inner}`")))
    }

    fn quoted(&mut self, quote: char) {
        let start = self.at;
        let rest = self.rest();
        let Some(length) = closing(&rest[1..], quote) else { return self.unterminated(start, quote) };
        let inner = &rest[1..=length];
        self.at += length + 2;
        let text = self.unescape(Span::new(start, self.at), inner);
        self.push(start, TokenKind::Text(text));
    }

    /// Decodes the text of the literal at `literal`. Reports the first of several unknown escapes.
    fn unescape(&mut self, literal: Span, inner: &str) -> String {
        let mut text = String::with_capacity(inner.len());
        let mut unknown: Vec<Span> = Vec::new();
        let mut at = 0;
        while let Some(found) = inner[at..].find('\\') {
            text.push_str(&inner[at..at + found]);
            at += found;
            let (length, char) = escape(&inner[at..]);
            match char {
                Some(char) => text.push(char),
                None => {
                    // JSON has these two; see `is_escape_of_json`.
                    text.extend(control(&inner[at..at + length]));
                    unknown.push(Span::new(at, at + length));
                }
            }
            at += length;
        }
        text.push_str(&inner[at..]);
        let is_foreign = |it: &&Span| control(&inner[it.range()]).is_none();
        if let Some(first) = unknown.iter().find(is_foreign).or(unknown.first()) {
            let escape = inner[first.range()].to_owned();
            let start = literal.start + 1;
            let instead = without_escapes(self.source[literal.range()].chars().next(), inner, &unknown);
            let span = Span::new(start + first.start, start + first.end);
            self.fail(span, FailureKind::UnknownEscape { escape, literal, instead });
        }
        text
    }
}

/// Returns the character of an escape that only JSON has.
fn control(escape: &str) -> Option<char> {
    match escape {
        "\\b" => Some('\u{8}'),
        "\\f" => Some('\u{c}'),
        _ => None,
    }
}

/// Returns `true` for `\b` and `\f`, which are refused except in data that is written as JSON.
pub(crate) fn is_escape_of_json(failure: &Failure) -> bool {
    matches!(&*failure.kind, FailureKind::UnknownEscape { escape, .. } if control(escape).is_some())
}

/// Returns the text that was probably meant. It is written between backticks, or with the backslashes of
/// unknown escapes doubled.
fn without_escapes(quote: Option<char>, inner: &str, unknown: &[Span]) -> String {
    if unknown.len() == inner.matches('\\').count() && !inner.contains('`') {
        return format!("`{inner}`");
    }
    let mut doubled = inner.to_owned();
    for span in unknown.iter().rev() {
        doubled.insert(span.start, '\\');
    }
    let quote = quote.unwrap_or('"');
    format!("{quote}{doubled}{quote}")
}

/// Returns the offset of the quote that closes a string on its line.
fn closing(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, char) in rest.char_indices() {
        match char {
            '\n' | '\r' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if char == quote => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns the length of the escape at the start of `rest`, and its character.
///
/// `\b` and `\f` have none: they usually mean a pattern's word boundary.
pub(crate) fn escape(rest: &str) -> (usize, Option<char>) {
    let Some(letter) = rest[1..].chars().next() else { return (1, None) };
    let char = match letter {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '\\' | '/' | '"' | '\'' | '`' => letter,
        'u' => return unicode(rest),
        _ => return (1 + letter.len_utf8(), None),
    };
    (2, Some(char))
}

/// Decodes `\u00e9`, or a surrogate pair.
pub(super) fn unicode(rest: &str) -> (usize, Option<char>) {
    let Some(first) = unit(rest) else { return (2, None) };
    let second = unit(&rest[6..]).filter(|_| (0xd800..0xdc00).contains(&first));
    let units: Vec<u16> = std::iter::once(first).chain(second).collect();
    match String::from_utf16(&units).ok().and_then(|text| text.chars().next()) {
        Some(char) if second.is_some() => (12, Some(char)),
        char => (6, char),
    }
}

fn unit(rest: &str) -> Option<u16> {
    let digits = rest.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
    u16::from_str_radix(digits, 16).ok()
}
