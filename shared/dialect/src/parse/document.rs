//! Syntax that only expressions of documents have.

use source_text::Span;

use super::expression::{canonical, precedence};
use super::parser::{Mode, Parsed, Parser};
use crate::Failure;
use crate::ast::{Argument, Expression, ExpressionKind, LambdaParameter, TemplatePart};
use crate::brackets::Brackets;
use crate::failure::Expected;
use crate::token::{Token, TokenKind};

/// A stretch of a document, read into tokens.
#[derive(Clone, Copy)]
pub(crate) struct Stretch<'code> {
    pub(crate) text: &'code str,
    pub(crate) tokens: &'code [Token],
    pub(crate) brackets: &'code Brackets,
    /// The most nested expressions.
    pub(crate) depth: usize,
}

/// A part of the code that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<T> {
    /// The part.
    pub value: T,
    /// The index of the first token behind it. If it could not be read to its end, the index of the wrong
    /// token.
    pub next: usize,
    /// The mistakes in it; it is complete if there are none.
    pub failures: Vec<Failure>,
}

/// Reads the expression that starts at token `first`.
pub(crate) fn expression_of(stretch: &Stretch<'_>, first: usize) -> Part<Expression> {
    let mut parser = parser(stretch, first);
    let value = parser.whole();
    Part { value, next: parser.at, failures: parser.failures }
}

/// Reads the arguments between the brackets that token `opener` opens.
pub(crate) fn arguments_of(stretch: &Stretch<'_>, opener: usize) -> Part<Vec<Argument>> {
    let mut parser = parser(stretch, opener);
    let value = parser.separated(Parser::argument).0;
    Part { value, next: parser.at, failures: parser.failures }
}

fn parser<'code>(stretch: &Stretch<'code>, first: usize) -> Parser<'code> {
    Parser {
        source: stretch.text,
        tokens: stretch.tokens,
        brackets: stretch.brackets,
        mode: Mode::Document,
        at: first.min(stretch.tokens.len() - 1),
        open: 0,
        broken: false,
        nesting: 0,
        depth: stretch.depth,
        failures: Vec::new(),
    }
}

impl Parser<'_> {
    /// Returns the next operator, and its precedence. On a new line, an operator that can start an expression
    /// or a statement does so.
    pub(super) fn document_operator(&self) -> Option<(&'static str, usize)> {
        let operator = match self.peek().kind {
            TokenKind::Mark(mark) => mark,
            TokenKind::Name if self.word() == "is" => "is",
            TokenKind::Name if self.word() == "in" => "in",
            _ => return None,
        };
        let starts_another = matches!(operator, "-" | "+" | "is" | "in") && self.peek().starts_line;
        let precedence = precedence(operator)?;
        (self.open > 0 || !starts_another).then_some((canonical(operator), precedence))
    }

    /// Reads `Exact`, `smtp.SmtpError`: the name behind `is`.
    pub(super) fn qualified_name(&mut self) -> Parsed<Expression> {
        if !self.at_name() {
            return self.unexpected(Expected::Name);
        }
        let first = self.spelled();
        let mut name = self.make(first.span, ExpressionKind::Name(first.text))?;
        while self.at_mark(".") && self.peek_ahead(1).is_name() {
            self.next();
            let part = self.spelled();
            let span = name.span.join(part.span);
            let kind = ExpressionKind::Member { of: Box::new(name), name: part, or_null: false };
            name = self.make(span, kind)?;
        }
        Ok(name)
    }

    /// Returns `true` if `await` stands before an operand, where it is an operator.
    pub(super) fn awaits(&self) -> bool {
        let next = self.peek_ahead(1);
        self.word() == "await" && (next.starts_operand() && !next.is_mark("[") || next.is_mark("-"))
    }

    /// Reads the call in `f(x)(y)`.
    pub(super) fn apply_to(&mut self, function: Expression) -> Parsed<Expression> {
        let (arguments, enclosed) = self.separated(Self::argument);
        let span = function.span.join(enclosed);
        self.make(span, ExpressionKind::Apply { function: Box::new(function), arguments })
    }

    /// Reads `"uses of ${name}"`.
    pub(super) fn template(&mut self) -> Parsed<Expression> {
        let start = self.next().span;
        let mut parts = Vec::new();
        loop {
            let token = self.next();
            match &token.kind {
                TokenKind::TemplateText(text) => parts.push(TemplatePart::Text(text.clone())),
                TokenKind::TemplateEnd => {
                    return self.make(start.join(token.span), ExpressionKind::Template(parts));
                }
                TokenKind::Mark("${") => parts.push(TemplatePart::Expression(self.interpolated())),
                TokenKind::End => return self.unexpected(Expected::Closing("}")),
                // An extra brace, which was reported.
                _ => {}
            }
        }
    }

    /// Reads the expression behind `${`, and the brace that closes it.
    fn interpolated(&mut self) -> Expression {
        let opener = self.at - 1;
        let closer = self.brackets.closer(opener);
        self.open += 1;
        let expression = self.whole();
        self.open -= 1;
        if self.at < closer && !std::mem::take(&mut self.broken) {
            self.unexpected::<()>(Expected::Closing("}")).err();
        }
        self.broken = false;
        self.at = closer + 1;
        expression
    }

    /// Reads `...xs`, or `...` alone for an omission.
    pub(super) fn spread(&mut self) -> Parsed<Expression> {
        let start = self.next().span;
        if self.at_end_of_item() {
            return self.make(start, ExpressionKind::Spread(None));
        }
        let of = self.whole();
        self.make(start.join(of.span), ExpressionKind::Spread(Some(Box::new(of))))
    }

    pub(super) fn at_end_of_item(&self) -> bool {
        matches!(self.peek().kind, TokenKind::Mark("," | ")" | "]" | "}") | TokenKind::End)
    }

    /// Reads `hit?: Hit`.
    pub(super) fn document_parameter(&mut self) -> Parsed<LambdaParameter> {
        let name = self.spelled();
        let optional = self.eat("?");
        let ty = if self.eat(":") { Some(self.ty()?) } else { None };
        Ok(LambdaParameter { name, optional, ty })
    }

    /// Reads a type, up to the comma or bracket at which it ends. Commas in angle brackets belong to it.
    fn ty(&mut self) -> Parsed<Span> {
        let start = self.peek().span;
        let first = self.at;
        let mut angles = 0_usize;
        loop {
            match self.peek().kind {
                TokenKind::Mark("<") => angles += 1,
                TokenKind::Mark(">") => angles = angles.saturating_sub(1),
                TokenKind::Mark(",") if angles > 0 => {}
                _ if self.at_end_of_item() => break,
                _ => {}
            }
            self.at = self.at.max(self.brackets.closer(self.at)) + 1;
        }
        if self.at == first {
            return self.unexpected(Expected::Type);
        }
        Ok(start.join(self.tokens[self.at - 1].span))
    }

    /// Skips `{ return x }` behind `=>`, which the caller reads.
    pub(super) fn block(&mut self) -> Parsed<Expression> {
        let start = self.peek().span;
        self.at = self.brackets.closer(self.at);
        let span = start.join(self.next().span);
        self.make(span, ExpressionKind::Block)
    }
}
