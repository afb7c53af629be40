//! The lexer's position, its tokens, and the syntax that programs and documents share.

use source_text::Span;

use crate::token::{Token, TokenKind};
use crate::{Failure, FailureKind, Failures};

/// The tokens of a program, always with [`TokenKind::End`] last, and the mistakes in them.
#[derive(Debug)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) failures: Vec<Failure>,
    /// Ambiguous spellings; in code of documents only.
    pub(crate) warnings: Vec<Failure>,
    /// `true` if something is never closed, so that the rest of the program was read as part of it.
    pub(crate) swallowed: bool,
}

/// A text with an expression in it that is being read.
#[derive(Debug)]
pub(super) struct Interpolation {
    /// The quote that closes it.
    pub(super) quote: char,
    /// The offset at which it starts.
    pub(super) start: usize,
    /// The index of the outermost open text in quotes, which all end with their line: this text, or one
    /// around it.
    pub(super) outermost_quoted: Option<usize>,
    /// The number of braces that are open in the expression.
    pub(super) braces: usize,
}

/// The position in a source, and the tokens before it.
pub(super) struct Lexer<'source> {
    pub(super) source: &'source str,
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) marks: &'static [&'static str],
    /// The templates that are open, the innermost last; in code of documents only.
    pub(super) open: Vec<Interpolation>,
    pub(super) lexed: Lexed,
}

impl<'source> Lexer<'source> {
    pub(super) fn new(source: &'source str, stretch: Span, marks: &'static [&'static str]) -> Self {
        // A token of a program has about four bytes; for documents the vector grows.
        let tokens = Vec::with_capacity(stretch.range().len().min(1024) / 3 + 2);
        let lexed = Lexed { tokens, failures: Vec::new(), warnings: Vec::new(), swallowed: false };
        Self { source, at: stretch.start, end: stretch.end, marks, open: Vec::new(), lexed }
    }

    pub(super) fn rest(&self) -> &'source str {
        &self.source[self.at..self.end]
    }

    pub(super) fn push(&mut self, start: usize, kind: TokenKind) {
        let span = Span::new(start, self.at);
        let before = self.lexed.tokens.last().map_or(0, |token| token.span.end);
        let starts_line = self.source[before..start].bytes().any(|it| matches!(it, b'\n' | b'\r'));
        self.lexed.tokens.push(Token { kind, span, starts_line });
    }

    pub(super) fn fail(&mut self, span: Span, kind: FailureKind) {
        Failures::collect(&mut self.lexed.failures, Failure::at(span, kind));
    }

    pub(super) fn step(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let first = rest.chars().next().expect("the rest is not empty");
        match first {
            _ if is_blank(first) => self.at += first.len_utf8(),
            _ if rest.starts_with("//") => self.line_comment(),
            _ if rest.starts_with("/*") => self.block_comment(),
            _ if rest.starts_with("--") && self.decrements() => self.decrement(),
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

    pub(super) fn block_comment(&mut self) {
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

    /// Skips a comment. Refuses `7 // 2`, which elsewhere divides and here would be 7.
    fn line_comment(&mut self) {
        let start = self.at;
        let line = self.rest_of_line();
        self.at += line.len();
        // Where `//` divides, a comment starts with `#`.
        let operand = line[2..].split('#').next().unwrap_or_default().trim();
        let before = self.lexed.tokens.last();
        let follows_operand = before.is_some_and(|it| {
            let is_operand =
                it.is_name() || matches!(it.kind, TokenKind::Number(_) | TokenKind::Mark(")" | "]"));
            is_operand && !self.source[it.span.end..start].contains(['\n', '\r'])
        });
        if follows_operand && self.may_be_operand(operand) {
            let operand = operand.to_owned();
            self.fail(Span::new(start, self.at), FailureKind::SlashedOperand { operand });
        }
    }

    /// Returns `true` for numbers and for names that are used shortly before, with operators and brackets
    /// between them.
    fn may_be_operand(&self, text: &str) -> bool {
        /// The most bytes of an operand, and the number of tokens before it in which its names are sought.
        const LONGEST: usize = 80;
        const NEAR: usize = 200;
        let starts =
            text.starts_with(|it: char| is_name_start(it) || it.is_ascii_digit() || "(-".contains(it));
        if !starts || text.len() > LONGEST {
            return false;
        }
        let near = &self.lexed.tokens[self.lexed.tokens.len().saturating_sub(NEAR)..];
        let is_used =
            |word: &str| near.iter().any(|it| it.is_name() && &self.source[it.span.range()] == word);
        let is_known = |word: &str| word.starts_with(|it: char| it.is_ascii_digit()) || is_used(word);
        let mut words = text.split(|it: char| it.is_whitespace() || "+-*/%()[].;<>=!?:&|".contains(it));
        text.contains(is_name_part) && words.all(|word| word.is_empty() || is_known(word))
    }

    fn rest_of_line(&self) -> &'source str {
        let rest = self.rest();
        &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())]
    }

    /// Returns `true` at the end of `x--`, which would go on with the next line as `x - -y`.
    fn decrements(&self) -> bool {
        let behind = self.rest()[2..].trim_start_matches([' ', '\t']);
        let ends = [';', ')', ',', ']', '}', '\n', '\r'];
        let is_end = behind.is_empty() || behind.starts_with(ends) || behind.starts_with("//");
        let is_operand = |it: &Token| it.is_name() || it.is_mark(")") || it.is_mark("]");
        is_end && self.lexed.tokens.last().is_some_and(|it| it.span.end == self.at && is_operand(it))
    }

    /// Refuses `x--`.
    fn decrement(&mut self) {
        let before = self.lexed.tokens.last().filter(|it| it.is_name()).map(|it| it.span);
        let start = before.map_or(self.at, |it| it.start);
        self.at += 2;
        let found = self.source[start..self.at].to_owned();
        let kind = FailureKind::NotDialect { found, instead: "… - 1".to_owned() };
        self.fail(Span::new(start, self.at), kind);
    }

    /// Refuses `-- to the end of the line`, a comment in SQL.
    pub(super) fn foreign_comment(&mut self) {
        let start = self.at;
        let line = self.rest_of_line();
        self.at += line.len();
        // `5 -- 3` is a difference in some languages, and a number with a comment in others.
        let is_operand = line[2..].trim_start().starts_with(|it: char| it.is_ascii_digit() || it == '(');
        let instead = if is_operand { "… - (-…), or // …" } else { "// …" };
        let kind = FailureKind::NotDialect { found: line.to_owned(), instead: instead.to_owned() };
        self.fail(Span::new(start, self.at), kind);
    }

    pub(super) fn mark(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let first = rest.as_bytes()[0];
        match self.marks.iter().find(|mark| mark.as_bytes()[0] == first && rest.starts_with(**mark)) {
            Some(mark) => {
                self.at += mark.len();
                self.push(start, TokenKind::Mark(mark));
            }
            None => {
                // At least one: a digit of another script can be in a name, but cannot start one.
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

/// Returns `true` for a blank in any program text, the byte order mark included.
pub(super) fn is_blank(char: char) -> bool {
    char.is_whitespace() || char == '\u{feff}'
}

pub(super) fn is_name_start(char: char) -> bool {
    char.is_alphabetic() || matches!(char, '_' | '$')
}

pub(crate) fn is_name_part(char: char) -> bool {
    is_name_start(char) || char.is_alphanumeric()
}

/// Returns `true` if the character starts no token at all.
fn is_strange(char: char) -> bool {
    !is_blank(char) && !is_name_part(char) && !char.is_ascii_punctuation() || matches!(char, '\\')
}
