//! Expressions: Dialect parses them, and rules of documents are checked here.

use std::collections::HashMap;

use dialect::ast::{Argument, Expression, ExpressionKind, LambdaParameter};
use dialect::code::Code as Tokens;
use dialect::{Failure, FailureKind, Limit};
use source_text::Span;

use super::{Parsed, Parser, Skip};
use crate::diagnostic::Code;

impl Parser<'_, '_> {
    /// Parses an expression, with the statements in it.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        let part = self.tokens.expression(self.at);
        self.at = part.next;
        if !part.failures.is_empty() {
            part.failures.iter().for_each(|failure| self.failure(failure));
            return Err(Skip);
        }
        self.inspect(&part.value);
        Ok(part.value)
    }

    fn failure(&mut self, failure: &Failure) {
        let diagnostic = Tokens::diagnostic(failure);
        let span = diagnostic.span.unwrap_or(self.peek().span);
        let code = match &*failure.kind {
            FailureKind::LimitReached { limit: Limit::Depth, .. } => Code::TOO_DEEP,
            _ => Code::EXPECTED,
        };
        let error = self.error(code, span, diagnostic.message);
        if let Some(help) = diagnostic.help {
            error.help(help);
        }
    }

    /// Parses lambda bodies and parameter types, which Dialect leaves out, and checks arguments.
    fn inspect(&mut self, expression: &Expression) {
        let mut pending = vec![expression];
        while let Some(expression) = pending.pop() {
            match &expression.kind {
                ExpressionKind::Block => self.lambda_body(expression.span),
                ExpressionKind::Lambda { parameters, .. } => {
                    parameters.iter().for_each(|parameter| self.lambda_parameter(parameter));
                }
                ExpressionKind::Call(call) => self.check_arguments(&call.arguments),
                ExpressionKind::Apply { arguments, .. } => self.check_arguments(arguments),
                _ => {}
            }
            pending.extend(expression.kind.children());
        }
    }

    fn lambda_body(&mut self, span: Span) {
        let first = self.token_from(span.start);
        let behind = std::mem::replace(&mut self.at, first);
        if let Ok(block) = self.deeper(Self::block) {
            self.lambda_bodies.insert(span.start, block);
        }
        self.at = behind;
    }

    fn lambda_parameter(&mut self, parameter: &LambdaParameter) {
        let Some(span) = parameter.ty else { return };
        let first = self.token_from(span.start);
        let behind = std::mem::replace(&mut self.at, first);
        if let Ok(ty) = self.ty() {
            if self.end_of_last() < span.end {
                self.expected::<()>("`,` or `)`").ok();
            }
            self.lambda_types.insert(span.start, ty);
        }
        self.at = behind;
    }

    /// Returns the index of the token that starts at an offset.
    fn token_from(&self, start: usize) -> usize {
        self.tokens.tokens().partition_point(|token| token.span.start < start)
    }

    fn check_arguments(&mut self, arguments: &[Argument]) {
        let mut named: HashMap<&str, Span> = HashMap::new();
        for argument in arguments {
            let Some(name) = &argument.name else {
                if !named.is_empty() && !matches!(argument.value.kind, ExpressionKind::Spread(_)) {
                    let message = "an argument without a name follows one with a name";
                    self.error(Code::POSITIONAL_AFTER_NAMED, argument.value.span, message)
                        .help("give it its name, or write it before the named ones");
                }
                continue;
            };
            if let Some(first) = named.insert(&name.text, name.span) {
                self.error(Code::ARGUMENT_TWICE, name.span, format!("`{}` is given twice", name.text))
                    .related(first, "before here");
            }
        }
    }
}
