//! Tokens → what was written. The grammar is in GRAMMAR.md.
//!
//! Brackets are matched first, so that reading can leave a broken part and go on behind it: one answer says
//! everything that is wrong.

mod document;
mod expression;
mod foreign;
mod list;
mod program;

use source_text::Span;

pub(crate) use self::document::{arguments_of, expression_of};
pub(crate) use self::expression::{is_comparison, precedence};

use crate::ast::{Expression, ExpressionKind, Spelled};
use crate::brackets::Brackets;
use crate::failure::Expected;
use crate::lex::lex;
use crate::token::{Token, TokenKind};
use crate::{Failure, FailureKind, Failures, Limit, Limits};

/// Reads a program in either form, within the limits that programs have by default. Names are not looked up.
///
/// # Errors
/// When the text is no program: everything that stands in the way of reading it.
pub fn read(source: &str) -> Result<Expression, Failures> {
    match parse(source, &Limits::default()) {
        (Some(program), failures) if failures.is_empty() => Ok(program),
        (_, failures) => Err(Failures::from(failures)),
    }
}

/// Reads a program.
///
/// With failures there may still be an expression, in which what could not be read is
/// [`ExpressionKind::Broken`]: it shows what else is wrong.
pub(crate) fn parse(source: &str, limits: &Limits) -> (Option<Expression>, Vec<Failure>) {
    if source.len() > limits.source_bytes {
        let kind = FailureKind::LimitReached { limit: Limit::Source, at_most: limits.source_bytes };
        return (None, vec![kind.into()]);
    }
    let mut lexed = lex(source);
    if lexed.swallowed {
        return (None, lexed.failures);
    }
    let brackets = match Brackets::of(&lexed.tokens, limits.depth) {
        Ok(brackets) => brackets,
        Err(failure) => {
            lexed.failures.push(failure);
            return (None, lexed.failures);
        }
    };
    let mut parser = Parser {
        source,
        tokens: &lexed.tokens,
        brackets: &brackets,
        mode: Mode::Program,
        at: 0,
        open: 0,
        broken: false,
        nesting: 0,
        depth: limits.depth,
        failures: lexed.failures,
    };
    let expression = parser.program().ok();
    (expression, parser.failures)
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// A program: what models write out of habit from elsewhere is told apart.
    Program,
    /// Code of a document.
    Document,
}

struct Parser<'source> {
    source: &'source str,
    tokens: &'source [Token],
    brackets: &'source Brackets,
    mode: Mode,
    at: usize,
    /// How many brackets are open; in them line breaks mean nothing.
    open: usize,
    /// Whether the item that was read last is broken, so that what follows it is to be left out.
    broken: bool,
    /// How many expressions are being read inside each other.
    nesting: usize,
    /// At most so many.
    depth: usize,
    failures: Vec<Failure>,
}

/// Something could not be read; the failure is recorded, and whoever can goes on behind it.
#[derive(Debug)]
struct Skip;

type Parsed<T> = Result<T, Skip>;

impl<'source> Parser<'source> {
    fn is_document(&self) -> bool {
        self.mode == Mode::Document
    }

    fn peek(&self) -> &'source Token {
        &self.tokens[self.at]
    }

    /// The token `ahead` of the next one; the end of the program past its last.
    fn peek_ahead(&self, ahead: usize) -> &'source Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> &'source Token {
        let token = self.peek();
        if !matches!(token.kind, TokenKind::End) {
            self.at += 1;
        }
        token
    }

    fn text(&self, span: Span) -> &'source str {
        &self.source[span.range()]
    }

    /// The words of the next token.
    fn word(&self) -> &'source str {
        self.text(self.peek().span)
    }

    fn at_name(&self) -> bool {
        self.peek().is_name()
    }

    fn at_word(&self, word: &str) -> bool {
        self.at_name() && self.word() == word
    }

    fn at_mark(&self, mark: &str) -> bool {
        self.peek().is_mark(mark)
    }

    fn at_end(&self) -> bool {
        matches!(self.peek().kind, TokenKind::End)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.at += 1;
        }
        found
    }

    fn spelled(&mut self) -> Spelled {
        let span = self.next().span;
        Spelled { text: self.text(span).to_owned(), span }
    }

    /// Where the last token that was read ends.
    fn end_of_last(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |last| self.tokens[last].span.end)
    }

    fn fail<T>(&mut self, span: Span, kind: FailureKind) -> Parsed<T> {
        self.failures.push(Failure::at(span, kind));
        Err(Skip)
    }

    fn unexpected<T>(&mut self, expected: Expected) -> Parsed<T> {
        let token = self.peek();
        if token.kind == TokenKind::Strange {
            return Err(Skip);
        }
        let found = self.text(token.span).to_owned();
        self.fail(token.span, FailureKind::Unexpected { expected, found })
    }

    /// An expression, unless it is too deep to be worked with.
    fn make(&mut self, span: Span, kind: ExpressionKind) -> Parsed<Expression> {
        let mut depth = 0;
        kind.each_child(&mut |child| depth = depth.max(child.depth + 1));
        if depth > self.depth {
            return self.too_deep(span);
        }
        Ok(Expression { kind, span, depth })
    }

    fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        self.fail(span, FailureKind::LimitReached { limit: Limit::Depth, at_most: self.depth })
    }
}
