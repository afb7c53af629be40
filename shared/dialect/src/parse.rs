//! Tokens → what was written. The grammar is in GRAMMAR.md.

use source_text::Span;

use crate::ast::{Argument, Call, Expression, ExpressionKind, Spelled};
use crate::brackets::Brackets;
use crate::lex::lex;
use crate::token::{Token, TokenKind};
use crate::{Failure, FailureKind, Limit, Limits};

/// Reads a program.
pub(crate) fn parse(source: &str, limits: &Limits) -> Result<Expression, Vec<Failure>> {
    if source.len() > limits.source_bytes {
        let kind = FailureKind::LimitReached { limit: Limit::Source, at_most: limits.source_bytes };
        return Err(vec![kind.into()]);
    }
    let lexed = lex(source);
    if lexed.swallowed {
        return Err(lexed.failures);
    }
    let brackets = match Brackets::of(&lexed.tokens, limits.depth) {
        Ok(brackets) => brackets,
        Err(failure) => return Err(lexed.failures.into_iter().chain([failure]).collect()),
    };
    let mut parser = Parser { source, tokens: &lexed.tokens, brackets, at: 0, failures: lexed.failures };
    let expression = parser.program();
    match expression {
        Some(expression) if parser.failures.is_empty() => Ok(expression),
        _ => {
            parser.failures.sort_by_key(|failure| failure.span);
            Err(parser.failures)
        }
    }
}

struct Parser<'source> {
    source: &'source str,
    tokens: &'source [Token],
    brackets: Brackets,
    at: usize,
    failures: Vec<Failure>,
}

/// Something could not be read; the failure is recorded, and the reader of the enclosing list goes on.
struct Skip;

type Parsed<T> = Result<T, Skip>;

impl<'source> Parser<'source> {
    fn peek(&self) -> &'source Token {
        &self.tokens[self.at]
    }

    fn text(&self, span: Span) -> &'source str {
        &self.source[span.range()]
    }

    fn next(&mut self) -> &'source Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn at_mark(&self, mark: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Mark(found) if found == mark)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.at += 1;
        }
        found
    }

    fn unexpected<T>(&mut self, expected: &'static str) -> Parsed<T> {
        let token = self.peek();
        let found = self.text(token.span).to_owned();
        self.failures.push(Failure::at(token.span, FailureKind::Unexpected { expected, found }));
        Err(Skip)
    }

    fn program(&mut self) -> Option<Expression> {
        if self.peek().kind == TokenKind::End {
            if self.failures.is_empty() {
                self.failures.push(FailureKind::EmptyProgram.into());
            }
            return None;
        }
        let expression = self.expression().ok()?;
        while self.eat(";") {}
        if self.peek().kind != TokenKind::End {
            self.unexpected::<()>("the end of the program").err();
        }
        Some(expression)
    }

    fn expression(&mut self) -> Parsed<Expression> {
        let token = self.peek();
        match &token.kind {
            TokenKind::Name => Ok(self.name()),
            TokenKind::Number(number) => Ok(self.literal(ExpressionKind::Number(number.clone()))),
            TokenKind::Text(text) => Ok(self.literal(ExpressionKind::Text(text.clone()))),
            TokenKind::Mark("-") => self.negative(),
            TokenKind::Mark("[") => Ok(self.list()),
            TokenKind::Mark("{") => Ok(self.object()),
            TokenKind::Mark("(") => self.parenthesized(),
            _ => self.unexpected("an expression"),
        }
    }

    fn literal(&mut self, kind: ExpressionKind) -> Expression {
        Expression { kind, span: self.next().span }
    }

    fn negative(&mut self) -> Parsed<Expression> {
        let minus = self.next().span;
        let TokenKind::Number(number) = &self.peek().kind else {
            return self.unexpected("a number");
        };
        let span = minus.join(self.next().span);
        match format!("-{number}").parse() {
            Ok(number) => Ok(Expression { kind: ExpressionKind::Number(number), span }),
            Err(_) => {
                let text = self.text(span).to_owned();
                self.failures.push(Failure::at(span, FailureKind::MalformedNumber { text }));
                Err(Skip)
            }
        }
    }

    fn parenthesized(&mut self) -> Parsed<Expression> {
        let opener = self.at;
        let start = self.next().span;
        let inner = self.expression()?;
        if !self.at_mark(")") {
            return self.unexpected("`)`");
        }
        debug_assert_eq!(self.at, self.brackets.closer(opener));
        let span = start.join(self.next().span);
        Ok(Expression { kind: inner.kind, span })
    }

    fn name(&mut self) -> Expression {
        let span = self.next().span;
        let text = self.text(span);
        if self.at_mark("(") {
            return self.call(Spelled { text: text.to_owned(), span });
        }
        let kind = match text {
            "null" => ExpressionKind::Null,
            "true" => ExpressionKind::Bool(true),
            "false" => ExpressionKind::Bool(false),
            _ => ExpressionKind::Name(text.to_owned()),
        };
        Expression { kind, span }
    }

    fn call(&mut self, name: Spelled) -> Expression {
        let (arguments, brackets) = self.separated(Self::argument);
        let span = name.span.join(brackets);
        Expression { kind: ExpressionKind::Call(Call { name, arguments, brackets }), span }
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let follows = |mark: &str| matches!(self.tokens.get(self.at + 1).map(|it| &it.kind), Some(TokenKind::Mark(found)) if *found == mark);
        let named = self.peek().kind == TokenKind::Name && (follows("=") || follows(":"));
        let name = named.then(|| {
            let span = self.next().span;
            self.next();
            Spelled { text: self.text(span).to_owned(), span }
        });
        Ok(Argument { name, value: self.expression()? })
    }

    fn list(&mut self) -> Expression {
        let (items, span) = self.separated(Self::expression);
        Expression { kind: ExpressionKind::List(items), span }
    }

    fn object(&mut self) -> Expression {
        let (fields, span) = self.separated(Self::field);
        Expression { kind: ExpressionKind::Object(fields), span }
    }

    fn field(&mut self) -> Parsed<(Spelled, Expression)> {
        let token = self.peek();
        let text = match &token.kind {
            TokenKind::Name => self.text(token.span).to_owned(),
            TokenKind::Text(text) => text.clone(),
            TokenKind::Number(_) => self.text(token.span).to_owned(),
            _ => return self.unexpected("a key"),
        };
        let key = Spelled { text, span: self.next().span };
        if !self.eat(":") {
            return self.unexpected("`:`");
        }
        Ok((key, self.expression()?))
    }

    /// Everything between a bracket and the one that closes it, separated by commas, one after the last
    /// allowed. What cannot be read is left out, and reading goes on after the next comma.
    fn separated<T>(&mut self, read: impl Fn(&mut Self) -> Parsed<T>) -> (Vec<T>, Span) {
        let closer = self.brackets.closer(self.at);
        let start = self.next().span;
        let mut items = Vec::new();
        while self.at < closer {
            match read(self) {
                Ok(item) => items.push(item),
                Err(Skip) => self.skip_to_comma(closer),
            }
            if self.at < closer && !self.eat(",") {
                self.unexpected::<()>("`,`").err();
                self.skip_to_comma(closer);
                self.eat(",");
            }
        }
        (items, start.join(self.next().span))
    }

    fn skip_to_comma(&mut self, closer: usize) {
        while self.at < closer && !self.at_mark(",") {
            let past = self.brackets.closer(self.at);
            self.at = past.max(self.at) + 1;
        }
        self.at = self.at.min(closer);
    }
}
