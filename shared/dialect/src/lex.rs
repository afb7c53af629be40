//! Text → tokens. Never fails: what is wrong is reported beside the tokens.

mod document;
pub(crate) mod number;
mod template;
mod text;

use source_text::Span;

use crate::token::{MARKS, Token, TokenKind};
use crate::{Failure, FailureKind};

pub(crate) use self::document::{lex_document, pattern_length};
use self::template::Interpolation;

/// The tokens of a program, always with [`TokenKind::End`] last, and what is wrong with them.
#[derive(Debug)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) failures: Vec<Failure>,
    /// What hardly says what was meant; in code of documents only.
    pub(crate) warnings: Vec<Failure>,
    /// Whether something never closes, so that the rest of the program was taken for a part of it.
    pub(crate) swallowed: bool,
}

/// Reads the whole source once.
pub(crate) fn lex(source: &str) -> Lexed {
    let mut lexer = Lexer::new(source, program_of(source), MARKS);
    while lexer.at < lexer.end {
        lexer.step();
    }
    lexer.push(lexer.end, TokenKind::End);
    lexer.lexed
}

/// The program inside a Markdown fence around all of it, or all of it.
pub(crate) fn program_of(source: &str) -> Span {
    let start = source.len() - source.trim_start_matches(is_blank).len();
    let end = source.trim_end_matches(is_blank).len();
    let whole = Span::new(start.min(end), end);
    let inner = source[whole.range()].strip_prefix("```").and_then(|it| it.strip_suffix("```"));
    let Some((line, body)) = inner.and_then(|inner| inner.split_once('\n')) else { return whole };
    let is_info = line.trim().chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | '+'));
    let start = whole.end - 3 - body.len();
    if is_info { Span::new(start, start + body.len()) } else { whole }
}

struct Lexer<'source> {
    source: &'source str,
    at: usize,
    end: usize,
    marks: &'static [&'static str],
    /// The templates that are open, the innermost last; in code of documents only.
    open: Vec<Interpolation>,
    lexed: Lexed,
}

impl<'source> Lexer<'source> {
    fn new(source: &'source str, stretch: Span, marks: &'static [&'static str]) -> Self {
        // Of programs a token is about four bytes long; documents grow it further.
        let tokens = Vec::with_capacity(stretch.range().len().min(1024) / 3 + 2);
        let lexed = Lexed { tokens, failures: Vec::new(), warnings: Vec::new(), swallowed: false };
        Self { source, at: stretch.start, end: stretch.end, marks, open: Vec::new(), lexed }
    }

    fn rest(&self) -> &'source str {
        &self.source[self.at..self.end]
    }

    fn push(&mut self, start: usize, kind: TokenKind) {
        let span = Span::new(start, self.at);
        let before = self.lexed.tokens.last().map_or(0, |token| token.span.end);
        let starts_line = self.source[before..start].bytes().any(|it| matches!(it, b'\n' | b'\r'));
        self.lexed.tokens.push(Token { kind, span, starts_line });
    }

    fn fail(&mut self, span: Span, kind: FailureKind) {
        self.lexed.failures.push(Failure::at(span, kind));
    }

    fn step(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let first = rest.chars().next().expect("the rest is not empty");
        match first {
            _ if is_blank(first) => self.at += first.len_utf8(),
            _ if rest.starts_with("//") => self.at += rest.find(['\n', '\r']).unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => self.block_comment(),
            _ if rest.starts_with("-- ") && !self.lexed.tokens.is_empty() => self.foreign_comment(),
            '`' | '"' | '\'' => self.text(first),
            '0'..='9' => self.number(),
            _ if self.foreign_text() => {}
            _ if is_name_start(first) => {
                self.at += rest.find(|char| !is_name_part(char)).unwrap_or(rest.len());
                self.push(start, TokenKind::Name);
            }
            _ => self.mark(),
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.rest()[2..].find("*/") {
            Some(length) => self.at += 2 + length + 2,
            None => {
                self.at = self.end;
                self.lexed.swallowed = true;
                self.fail(Span::new(start, start + 2), FailureKind::UnterminatedComment);
            }
        }
    }

    /// `-- to the end of the line`, as SQL has it.
    fn foreign_comment(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        self.at += line.len();
        let (found, instead) = (line.to_owned(), format!("//{}", &line[2..]));
        self.fail(Span::new(start, self.at), FailureKind::NotDialect { found, instead });
    }

    fn mark(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let first = rest.as_bytes()[0];
        match self.marks.iter().find(|mark| mark.as_bytes()[0] == first && rest.starts_with(**mark)) {
            Some(mark) => {
                self.at += mark.len();
                self.push(start, TokenKind::Mark(mark));
            }
            None => {
                // At least one: a digit of another script is a part of names, but starts nothing.
                let first = rest.chars().next().map_or(0, char::len_utf8);
                let more = rest[first..].find(|char| !is_strange(char));
                let strange = more.map_or(rest.len(), |more| first + more);
                self.at += strange;
                let text = rest[..strange].to_owned();
                self.push(start, TokenKind::Strange);
                self.fail(Span::new(start, self.at), FailureKind::UnexpectedCharacter { text });
            }
        }
    }
}

/// Blank in any program text, the byte order mark included.
fn is_blank(char: char) -> bool {
    char.is_whitespace() || char == '\u{feff}'
}

fn is_name_start(char: char) -> bool {
    char.is_alphabetic() || matches!(char, '_' | '$')
}

pub(crate) fn is_name_part(char: char) -> bool {
    is_name_start(char) || char.is_alphanumeric()
}

/// Starts no token at all.
fn is_strange(char: char) -> bool {
    !is_blank(char) && !is_name_part(char) && !char.is_ascii_punctuation() || matches!(char, '\\')
}
