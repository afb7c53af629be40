//! Code of documents: the expressions of programs with what only documents have, for whoever reads the statements
//! and definitions around them.
//!
//! A stretch of a text is read into tokens once, with its brackets matched. Whoever walks over the tokens asks for
//! the expression that starts at one of them and goes on behind it. A block of statements inside of an expression
//! is left to them too: [`ExpressionKind::Block`](crate::ast::ExpressionKind) says where it stands.

use source_text::{Diagnostic, Span};

use crate::ast::{Argument, Expression};
use crate::brackets::{Brackets, repaired};
use crate::lex::lex_document;
pub use crate::token::{Token, TokenKind};
use crate::{Failure, FailureKind, Limit, Limits};

/// A stretch of code, read into tokens.
#[derive(Debug)]
pub struct Code<'text> {
    pub(crate) text: &'text str,
    pub(crate) tokens: Vec<Token>,
    pub(crate) brackets: Brackets,
    pub(crate) depth: usize,
    failures: Vec<Failure>,
    warnings: Vec<Failure>,
}

/// Something that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<T> {
    /// What it is.
    pub value: T,
    /// The index of the first token behind it; where it could not be read to its end, of the token that is wrong.
    pub next: usize,
    /// What is wrong with it. It is whole when there is nothing.
    pub failures: Vec<Failure>,
}

impl<'text> Code<'text> {
    /// Reads a stretch of `text`; all spans are of the whole of it. Of `limits` those of source and depth count.
    pub fn read(text: &'text str, stretch: Span, limits: &Limits) -> Self {
        let too_long = stretch.end - stretch.start > limits.source_bytes;
        let read = if too_long { Span::new(stretch.end, stretch.end) } else { stretch };
        let lexed = lex_document(text, read);
        let (tokens, unmatched) = repaired(text, lexed.tokens, limits.depth);
        let brackets = Brackets::of(&tokens, usize::MAX).expect("all brackets are closed by now");
        let mut failures = lexed.failures;
        if too_long {
            let kind = FailureKind::LimitReached { limit: Limit::Source, at_most: limits.source_bytes };
            failures.push(Failure::at(stretch, kind));
        }
        failures.extend(unmatched);
        Self { text, tokens, brackets, depth: limits.depth, failures, warnings: lexed.warnings }
    }

    /// All tokens, [`TokenKind::End`] last. A bracket that is missing was added, with an empty span.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The text of a token.
    pub fn text_of(&self, token: usize) -> &'text str {
        self.tokens.get(token).map_or("", |it| &self.text[it.span.range()])
    }

    /// What is wrong with it in words; `failure` is one of those told here.
    pub fn diagnostic(failure: &Failure) -> Diagnostic {
        crate::explain::document_diagnostic(failure)
    }

    /// What is wrong with texts, numbers and brackets, each once; reading parts does not tell of it again.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Escapes between backticks that are none, so that their backslashes stay.
    pub fn warnings(&self) -> &[Failure] {
        &self.warnings
    }

    /// The index of the token that closes the bracket at token `opener`, if that is one.
    pub fn closer(&self, opener: usize) -> Option<usize> {
        Some(self.brackets.closer(opener)).filter(|closer| *closer > opener)
    }

    /// Where a line ends that starts at token `first` and was read up to `next`: at the first token from there on,
    /// brackets left out, that starts a line, is a semicolon, or closes what the line stands in. Always behind
    /// `first`, but for the end.
    pub fn end_of_line(&self, first: usize, next: usize) -> usize {
        let last = self.tokens.len() - 1;
        let ends = |at: usize| {
            let token = &self.tokens[at];
            token.starts_line || matches!(token.kind, TokenKind::Mark(";" | ")" | "]" | "}"))
        };
        let mut at = self.behind(first);
        while at < last && (at < next || !ends(at)) {
            at = self.behind(at);
        }
        at.min(last)
    }

    fn behind(&self, at: usize) -> usize {
        self.closer(at.min(self.tokens.len() - 1)).unwrap_or(at) + 1
    }

    /// The expression that starts at token `first`: as long as it goes on, but over a line break only as GRAMMAR.md
    /// says. What cannot be read is [`ExpressionKind::Broken`](crate::ast::ExpressionKind::Broken).
    pub fn expression(&self, first: usize) -> Part<Expression> {
        crate::parse::expression_of(self, first)
    }

    /// The arguments between the brackets that the token `opener` opens.
    ///
    /// # Panics
    /// When it is not a round bracket, which is a bug of the caller.
    pub fn arguments(&self, opener: usize) -> Part<Vec<Argument>> {
        assert!(self.tokens[opener].is_mark("("), "arguments stand in round brackets");
        crate::parse::arguments_of(self, opener)
    }
}
