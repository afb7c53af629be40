//! Numbers, as JSON writes them.

use serde_json::Number;
use source_text::Span;

use super::lexer::{Lexer, is_name_part};
use crate::FailureKind;
use crate::token::TokenKind;

impl Lexer<'_> {
    /// Takes everything that looks like a part of the number, so that `12abc` is one mistake.
    pub(super) fn number(&mut self) {
        let start = self.at;
        let length = extent(self.rest());
        let text = &self.rest()[..length];
        self.at += length;
        let number = parse(text).unwrap_or_else(|| {
            self.fail(Span::new(start, self.at), malformed(text));
            Number::from(0)
        });
        self.push(start, TokenKind::Number(number));
    }
}

pub(crate) fn extent(rest: &str) -> usize {
    let mut before = ' ';
    let end = rest.char_indices().find(|(at, char)| {
        let goes_on = is_name_part(*char)
            || *char == '.' && rest[at + 1..].starts_with(|next: char| next.is_ascii_digit())
            || matches!(char, '+' | '-') && matches!(before, 'e' | 'E');
        before = *char;
        !goes_on
    });
    end.map_or(rest.len(), |(at, _)| at)
}

/// Returns the failure for `07`, `1_000`, `0xff`.
pub(crate) fn malformed(text: &str) -> FailureKind {
    let plain = text.replace('_', "");
    let meant = match plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|number| number.to_string()),
        None => {
            let decimal = plain.trim_start_matches('0');
            // `010` is 8 in some languages.
            let is_octal = plain.starts_with('0') && decimal.len() > 1 && decimal.bytes().all(|it| it < b'8');
            Some(decimal.to_owned()).filter(|it| !is_octal && parse(it).is_some())
        }
    };
    FailureKind::MalformedNumber { text: text.to_owned(), instead: meant }
}

/// Returns the number if it is valid JSON and fits: an integer in 64 bits, or a finite float.
pub(crate) fn parse(text: &str) -> Option<Number> {
    let number: Number = text.parse().ok()?;
    let is_integer = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    // `-0` is the only integer that is a float.
    (!is_integer || !number.is_f64() || number.as_f64() == Some(0.0)).then_some(number)
}
