//! Texts of documents: escapes, and `${…}` between quotes and between backticks.

use source_text::Span;

use super::lexer::{Interpolation, Lexer};
use crate::FailureKind;
use crate::token::TokenKind;

/// The end of a stretch of text.
#[derive(Debug, PartialEq)]
enum Ending {
    /// The quote that opened the template.
    Quote,
    /// `${`
    Expression,
    /// The end of its line, or of everything.
    Nothing,
}

impl Lexer<'_> {
    /// Reads a text, up to its end or the first expression in it.
    pub(super) fn template(&mut self, quote: char) {
        let start = self.at;
        self.at += 1;
        let (text, ending) = self.stretch_of_text(quote);
        match ending {
            Ending::Quote => self.push(start, TokenKind::Text(text)),
            Ending::Nothing => {
                self.push(start, TokenKind::Text(text));
                self.unclosed_text(start, quote);
            }
            Ending::Expression => {
                let behind = std::mem::replace(&mut self.at, start + 1);
                self.push(start, TokenKind::TemplateStart);
                self.at = behind - 2;
                self.push_text(start + 1, text);
                self.open_interpolation(quote, start);
            }
        }
    }

    fn push_text(&mut self, start: usize, text: String) {
        if start < self.at {
            self.push(start, TokenKind::TemplateText(text));
        }
    }

    fn open_interpolation(&mut self, quote: char, start: usize) {
        self.at += 2;
        self.push(self.at - 2, TokenKind::Mark("${"));
        let around = self.open.last().and_then(|it| it.outermost_quoted);
        let outermost_quoted = around.or((quote != '`').then_some(self.open.len()));
        self.open.push(Interpolation { quote, start, outermost_quoted, braces: 0 });
    }

    /// Reads the brace that ends an expression, and the text behind it.
    pub(super) fn close_interpolation(&mut self) {
        let Interpolation { quote, start, .. } = self.open.pop().expect("a template is open");
        self.at += 1;
        self.push(self.at - 1, TokenKind::Mark("}"));
        let text_start = self.at;
        let (text, ending) = self.stretch_of_text(quote);
        let behind = self.at;
        self.at -= match ending {
            Ending::Quote => 1,
            Ending::Expression => 2,
            Ending::Nothing => 0,
        };
        self.push_text(text_start, text);
        match ending {
            Ending::Expression => return self.open_interpolation(quote, start),
            Ending::Quote => {}
            Ending::Nothing => self.unclosed_text(start, quote),
        }
        let end = std::mem::replace(&mut self.at, behind);
        self.push(end, TokenKind::TemplateEnd);
    }

    /// Closes the texts that are still open, except the outermost `kept` ones. Reports only the outermost.
    pub(super) fn close_templates(&mut self, kept: usize) {
        if let Some((quote, start)) = self.open.get(kept).map(|it| (it.quote, it.start)) {
            self.unclosed_text(start, quote);
        }
        while self.open.len() > kept {
            let braces = self.open.pop().expect("one more is open").braces;
            for _ in 0..=braces {
                self.push(self.at, TokenKind::Mark("}"));
            }
            self.push(self.at, TokenKind::TemplateEnd);
        }
    }

    fn unclosed_text(&mut self, start: usize, quote: char) {
        let kind = FailureKind::UnterminatedText { quote, over_lines: None };
        self.fail(Span::new(start, start + 1), kind);
    }

    /// Reads text up to its ending, and returns both.
    fn stretch_of_text(&mut self, quote: char) -> (String, Ending) {
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find([quote, '\\', '$', '\n', '\r']);
            let Some(plain) = plain else {
                text.push_str(rest);
                self.at = self.end;
                return (text, Ending::Nothing);
            };
            text.push_str(&rest[..plain]);
            self.at += plain;
            let rest = &rest[plain..];
            if rest.starts_with(quote) {
                self.at += 1;
                return (text, Ending::Quote);
            }
            match rest.as_bytes()[0] {
                b'\\' => self.escape_in_document(quote, &mut text),
                b'$' if quote != '\'' && rest.starts_with("${") => {
                    self.at += 2;
                    return (text, Ending::Expression);
                }
                b'\n' | b'\r' if quote != '`' => return (text, Ending::Nothing),
                _ => {
                    text.push_str(&rest[..1]);
                    self.at += 1;
                }
            }
        }
    }

    /// Reads an escape. An unknown one is refused between quotes. Between backticks, where patterns are
    /// written, the backslash is kept, with a warning.
    fn escape_in_document(&mut self, quote: char, text: &mut String) {
        let start = self.at;
        let rest = self.rest();
        let (length, char) = escape(rest, quote);
        self.at += length;
        match char {
            Escape::Char(char) => text.push(char),
            Escape::LineBreak => {}
            Escape::Unknown => {
                let written = rest[..length].to_owned();
                let span = Span::new(start, self.at);
                let instead = format!("\\{written}");
                let kind = FailureKind::UnknownEscape { escape: written.clone(), literal: span, instead };
                if quote == '`' {
                    text.push_str(&written);
                    self.lexed.warnings.push(crate::Failure::at(span, kind));
                } else {
                    self.fail(span, kind);
                }
            }
        }
    }
}

/// The meaning of an escape.
enum Escape {
    Char(char),
    /// A line break behind a backslash, which is dropped.
    LineBreak,
    Unknown,
}

/// Returns the length of the escape at the start of `rest`, and its meaning.
fn escape(rest: &str, quote: char) -> (usize, Escape) {
    let Some(letter) = rest[1..].chars().next() else { return (1, Escape::Unknown) };
    let char = match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        '\\' | '"' | '\'' | '`' | '$' | '/' | '{' => letter,
        'b' if quote != '`' => '\u{8}',
        'f' if quote != '`' => '\u{c}',
        '\r' if rest[2..].starts_with('\n') => return (3, Escape::LineBreak),
        '\n' | '\r' => return (2, Escape::LineBreak),
        'u' if rest[2..].starts_with('{') => return braced(rest),
        'u' => {
            let (length, char) = super::text::unicode(rest);
            return (length, char.map_or(Escape::Unknown, Escape::Char));
        }
        _ => return (1 + letter.len_utf8(), Escape::Unknown),
    };
    (2, Escape::Char(char))
}

/// Decodes `\u{1F600}`.
fn braced(rest: &str) -> (usize, Escape) {
    let digits = rest[3..].find(|char: char| !char.is_ascii_hexdigit()).unwrap_or(rest.len() - 3);
    let end = 3 + digits;
    let char = u32::from_str_radix(&rest[3..end], 16).ok().and_then(char::from_u32);
    match char.filter(|_| digits <= 6 && rest[end..].starts_with('}')) {
        Some(char) => (end + 1, Escape::Char(char)),
        None => (end, Escape::Unknown),
    }
}
