//! The parser's state, with the operations that all parts of the grammar share.

use source_text::Span;

use crate::ast::{Expression, ExpressionKind, Spelled};
use crate::brackets::Brackets;
use crate::failure::Expected;
use crate::token::{Token, TokenKind};
use crate::{Failure, FailureKind, Failures, Limit};

/// The syntax that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A program; habits from other languages are recognised.
    Program,
    /// Code of a document.
    Document,
}

pub(super) struct Parser<'source> {
    pub(super) source: &'source str,
    pub(super) tokens: &'source [Token],
    pub(super) brackets: &'source Brackets,
    pub(super) mode: Mode,
    pub(super) at: usize,
    /// The number of open brackets; line breaks mean nothing inside of them.
    pub(super) open: usize,
    /// `true` if the last item is broken, so that the text behind it is skipped.
    pub(super) broken: bool,
    /// The number of expressions that are being read inside each other.
    pub(super) nesting: usize,
    /// The most nested expressions.
    pub(super) depth: usize,
    pub(super) failures: Vec<Failure>,
}

/// The result if something could not be read. The failure is recorded, and a caller may continue behind it.
#[derive(Debug)]
pub(super) struct Skip;

pub(super) type Parsed<T> = Result<T, Skip>;

impl<'source> Parser<'source> {
    pub(super) fn is_document(&self) -> bool {
        self.mode == Mode::Document
    }

    pub(super) fn peek(&self) -> &'source Token {
        &self.tokens[self.at]
    }

    /// Returns the token `ahead` of the next one, or the end of the program past its last.
    pub(super) fn peek_ahead(&self, ahead: usize) -> &'source Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn next(&mut self) -> &'source Token {
        let token = self.peek();
        if !matches!(token.kind, TokenKind::End) {
            self.at += 1;
        }
        token
    }

    pub(super) fn text(&self, span: Span) -> &'source str {
        &self.source[span.range()]
    }

    /// Returns the text of the next token.
    pub(super) fn word(&self) -> &'source str {
        self.text(self.peek().span)
    }

    pub(super) fn at_name(&self) -> bool {
        self.peek().is_name()
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.at_name() && self.word() == word
    }

    pub(super) fn at_mark(&self, mark: &str) -> bool {
        self.peek().is_mark(mark)
    }

    pub(super) fn at_end(&self) -> bool {
        matches!(self.peek().kind, TokenKind::End)
    }

    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn spelled(&mut self) -> Spelled {
        let span = self.next().span;
        Spelled { text: self.text(span).to_owned(), span }
    }

    /// Returns the end of the last token that was read.
    pub(super) fn end_of_last(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |last| self.tokens[last].span.end)
    }

    pub(super) fn fail<T>(&mut self, span: Span, kind: FailureKind) -> Parsed<T> {
        Failures::collect(&mut self.failures, Failure::at(span, kind));
        Err(Skip)
    }

    pub(super) fn unexpected<T>(&mut self, expected: Expected) -> Parsed<T> {
        let token = self.peek();
        if token.kind == TokenKind::Strange {
            return Err(Skip);
        }
        let found = self.text(token.span).to_owned();
        self.fail(token.span, FailureKind::Unexpected { expected, found })
    }

    /// Makes an expression, unless it nests too deeply.
    pub(super) fn make(&mut self, span: Span, kind: ExpressionKind) -> Parsed<Expression> {
        let mut depth = 0;
        kind.each_child(&mut |child| depth = depth.max(child.depth + 1));
        if depth > self.depth {
            return self.too_deep(span);
        }
        Ok(Expression { kind, span, depth })
    }

    pub(super) fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        self.fail(span, FailureKind::LimitReached { limit: Limit::Depth, at_most: self.depth })
    }
}
