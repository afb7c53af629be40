//! Code of documents: the expressions of programs, with additions that only documents have.
//!
//! A stretch of a text is read into tokens once, with its brackets matched. A caller walks over the tokens,
//! asks for the expression that starts at one of them, and continues behind it. It also reads the blocks of
//! statements inside expressions: see [`ExpressionKind::Block`](crate::ast::ExpressionKind).

use source_text::{Diagnostic, Span};

use crate::ast::{Argument, Expression};
use crate::brackets::Brackets;
use crate::brackets::repair::repaired;
use crate::lex::lex_document;
pub use crate::parse::Part;
use crate::parse::Stretch;
pub use crate::token::{Token, TokenKind};
use crate::{Failure, FailureKind, Limit, Limits};

/// A stretch of code, read into tokens.
#[derive(Debug)]
pub struct Code<'text> {
    text: &'text str,
    tokens: Vec<Token>,
    brackets: Brackets,
    depth: usize,
    failures: Vec<Failure>,
    warnings: Vec<Failure>,
}

impl<'text> Code<'text> {
    /// Reads a stretch of `text`; all spans refer to the whole of it. Only the source and depth limits apply.
    pub fn read(text: &'text str, stretch: Span, limits: &Limits) -> Self {
        let too_long = stretch.end - stretch.start > limits.source_bytes;
        let read = if too_long { Span::new(stretch.end, stretch.end) } else { stretch };
        let lexed = lex_document(text, read);
        let (tokens, unmatched) = repaired(text, lexed.tokens, limits.depth);
        let brackets = Brackets::matched(&tokens, usize::MAX).expect("all brackets are closed by now");
        let mut failures = lexed.failures;
        if too_long {
            let kind = FailureKind::LimitReached { limit: Limit::Source, at_most: limits.source_bytes };
            failures.push(Failure::at(stretch, kind));
        }
        failures.extend(unmatched);
        Self { text, tokens, brackets, depth: limits.depth, failures, warnings: lexed.warnings }
    }

    /// Returns all tokens, [`TokenKind::End`] last. A bracket that was missing is added, with an empty span.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Returns the text of a token.
    pub fn text_of(&self, token: usize) -> &'text str {
        self.tokens.get(token).map_or("", |it| &self.text[it.span.range()])
    }

    /// Describes a failure of this code in words.
    pub fn diagnostic(failure: &Failure) -> Diagnostic {
        crate::explain::document_diagnostic(failure)
    }

    /// Returns the mistakes in texts, numbers and brackets, each once. Reading parts does not report them
    /// again.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Returns unknown escapes between backticks, whose backslashes are kept.
    pub fn warnings(&self) -> &[Failure] {
        &self.warnings
    }

    /// Returns the index of the token that closes the bracket at token `opener`, if that is one.
    pub fn closer(&self, opener: usize) -> Option<usize> {
        Some(self.brackets.closer(opener)).filter(|closer| *closer > opener)
    }

    /// Returns the end of a line that starts at token `first` and was read up to `next`. Brackets are
    /// skipped. The line ends at a token that starts a line, is a semicolon, or closes an outer bracket. The
    /// result is behind `first`, unless that is the end.
    pub fn end_of_line(&self, first: usize, next: usize) -> usize {
        let last = self.tokens.len() - 1;
        let ends = |at: usize| {
            let token = &self.tokens[at];
            token.starts_line || matches!(token.kind, TokenKind::Mark(";" | ")" | "]" | "}"))
        };
        let mut at = self.token_after(first);
        while at < last && (at < next || !ends(at)) {
            at = self.token_after(at);
        }
        at.min(last)
    }

    fn stretch(&self) -> Stretch<'_> {
        Stretch { text: self.text, tokens: &self.tokens, brackets: &self.brackets, depth: self.depth }
    }

    fn token_after(&self, at: usize) -> usize {
        self.closer(at.min(self.tokens.len() - 1)).unwrap_or(at) + 1
    }

    /// Reads the expression that starts at token `first`; GRAMMAR.md says when it continues over a line
    /// break. A part that cannot be read is [`ExpressionKind::Broken`](crate::ast::ExpressionKind::Broken).
    pub fn expression(&self, first: usize) -> Part<Expression> {
        crate::parse::expression_of(&self.stretch(), first)
    }

    /// Reads the arguments between the brackets that the token `opener` opens.
    ///
    /// # Panics
    /// If that token is not a round bracket, which is a bug of the caller.
    pub fn arguments(&self, opener: usize) -> Part<Vec<Argument>> {
        assert!(self.tokens[opener].is_mark("("), "arguments stand in round brackets");
        crate::parse::arguments_of(&self.stretch(), opener)
    }
}
