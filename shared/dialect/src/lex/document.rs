//! The lexer for code of documents: texts have escapes and `${…}`, and `/` may start a pattern.

use serde_json::Number;
use source_text::Span;

use super::lexer::{Lexed, Lexer, is_blank, is_name_part, is_name_start};
use super::number::{malformed, parse};
use crate::FailureKind;
use crate::refinement::pattern_length;
use crate::token::{DOCUMENT_MARKS, Token, TokenKind};

/// Reads a stretch of a document once. Spans are of the whole text.
pub(crate) fn lex_document(source: &str, stretch: Span) -> Lexed {
    let mut lexer = Lexer::new(source, stretch, DOCUMENT_MARKS);
    while lexer.at < lexer.end {
        lexer.document_step();
    }
    lexer.close_templates(0);
    lexer.push(lexer.end, TokenKind::End);
    if let Some(first) = lexer.lexed.tokens.first_mut() {
        first.starts_line = true;
    }
    lexer.lexed
}

impl Lexer<'_> {
    fn document_step(&mut self) {
        let rest = self.rest();
        let first = rest.chars().next().expect("the rest is not empty");
        match first {
            '\n' | '\r' => self.end_of_line(),
            _ if is_blank(first) => self.at += first.len_utf8(),
            _ if rest.starts_with("//") => self.at += rest.find(['\n', '\r']).unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => self.block_comment(),
            '`' | '"' | '\'' => self.template(first),
            '0'..='9' => self.document_number(),
            '/' if self.pattern_may_start() => self.pattern(),
            '{' | '}' if !self.open.is_empty() => self.brace(first),
            _ if is_name_start(first) => self.document_name(),
            _ => self.mark(),
        }
    }

    /// Ends the texts between quotes that are open, because they end with their line.
    fn end_of_line(&mut self) {
        if let Some(outermost) = self.open.last().and_then(|it| it.outermost_quoted) {
            self.close_templates(outermost);
        }
        self.at += 1;
    }

    /// Reads a name. Names are ASCII; other letters are reported, and read as part of the name.
    fn document_name(&mut self) {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.find(|char| !is_name_part(char)).unwrap_or(rest.len());
        self.push(start, TokenKind::Name);
        let text = &self.source[start..self.at];
        if !text.is_ascii() {
            self.fail(Span::new(start, self.at), FailureKind::UnexpectedCharacter { text: text.to_owned() });
        }
    }

    /// Takes everything that looks like a part of the number, so that `12abc` is one mistake.
    fn document_number(&mut self) {
        let start = self.at;
        let is_hexadecimal = self.rest().starts_with("0x") || self.rest().starts_with("0X");
        let length = if is_hexadecimal {
            self.rest().find(|char| !is_name_part(char)).unwrap_or(self.rest().len())
        } else {
            super::number::extent(self.rest())
        };
        self.at += length;
        let text = &self.source[start..self.at];
        let number = number(text).unwrap_or_else(|| {
            self.fail(Span::new(start, self.at), malformed(text));
            Number::from(0)
        });
        self.push(start, TokenKind::Number(number));
    }

    /// Returns `true` where an operand is due, so that `/` does not divide.
    fn pattern_may_start(&self) -> bool {
        let Some(Token { kind, span, .. }) = self.lexed.tokens.last() else { return true };
        match kind {
            TokenKind::Name => matches!(&self.source[span.range()], "return" | "throw" | "is" | "in"),
            TokenKind::Mark(mark) => matches!(
                *mark,
                "(" | ","
                    | "="
                    | ":"
                    | "["
                    | "{"
                    | "${"
                    | "|"
                    | "&"
                    | "&&"
                    | "||"
                    | "!"
                    | "?"
                    | ";"
                    | "=>"
                    | "=="
                    | "!="
            ),
            _ => false,
        }
    }

    fn pattern(&mut self) {
        let start = self.at;
        let rest = &self.rest()[1..];
        let Some(length) = pattern_length(rest) else {
            self.at += 1;
            self.push(start, TokenKind::Strange);
            let kind = FailureKind::UnterminatedText { quote: '/', over_lines: None };
            return self.fail(Span::new(start, start + 1), kind);
        };
        let flags = &rest[length + 1..];
        let flags = &flags[..flags.find(|char: char| !char.is_ascii_lowercase()).unwrap_or(flags.len())];
        self.at += length + 2 + flags.len();
        let (pattern, flags) = (rest[..length].to_owned(), flags.to_owned());
        self.push(start, TokenKind::Pattern { pattern, flags });
    }

    /// Counts braces in a template, to find the one that ends the expression.
    fn brace(&mut self, brace: char) {
        let template = self.open.last_mut().expect("a template is open");
        match (brace, template.braces) {
            ('{', _) => template.braces += 1,
            (_, 0) => return self.close_interpolation(),
            _ => template.braces -= 1,
        }
        self.mark();
    }
}

/// Reads `1_000`, `0xff`, `07`.
fn number(text: &str) -> Option<Number> {
    let is_grouped =
        !text.contains("__") && !text.ends_with('_') && !text.contains("_.") && !text.contains("._");
    let plain = Some(text.replace('_', "")).filter(|_| is_grouped)?;
    if let Some(digits) = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok().map(Number::from);
    }
    let significant = plain.trim_start_matches('0');
    let starts_with_digit = significant.starts_with(|char: char| char.is_ascii_digit());
    parse(if starts_with_digit { significant } else { &plain[plain.len() - significant.len() - 1..] })
}
