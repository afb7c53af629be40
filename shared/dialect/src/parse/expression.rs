//! Expressions: operators by precedence, postfixes, and primaries.

use source_text::Span;

use super::parser::{Parsed, Parser, Skip};
use crate::ast::{Call, Expression, ExpressionKind, LambdaParameter, Spelled};
use crate::failure::Expected;
use crate::lex::number::{self, malformed};
use crate::token::TokenKind;
use crate::{FailureKind, Form};

/// Binary operators, those that bind loosest first; all of them take the left side first.
const BINARY: &[&[&str]] = &[
    &["??"],
    &["||"],
    &["&&"],
    &["==", "!=", "===", "!=="],
    &["<", ">", "<=", ">=", "is", "in"],
    &["+", "-"],
    &["*", "/", "%"],
];

pub(crate) fn precedence(operator: &str) -> Option<usize> {
    let first = operator.bytes().next()?;
    let is_it = |it: &&str| it.as_bytes()[0] == first && **it == *operator;
    BINARY.iter().position(|level| level.iter().any(is_it))
}

/// Returns the canonical spelling of an operator.
pub(super) fn canonical(operator: &'static str) -> &'static str {
    match operator {
        "===" => "==",
        "!==" => "!=",
        _ => operator,
    }
}

pub(crate) fn is_comparison(operator: &str) -> bool {
    matches!(precedence(operator), Some(3 | 4))
}

/// A side of an operator.
struct Operand {
    expression: Expression,
    /// `true` if it is a comparison without parentheses around it.
    compares: bool,
}

/// A left side and its operator.
struct Waiting {
    left: Operand,
    operator: &'static str,
    precedence: usize,
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.nesting += 1;
        let expression = if self.nesting > self.depth + 1 {
            self.too_deep(self.peek().span)
        } else if let Some(parameters) = self.lambda_ahead() {
            self.lambda(parameters)
        } else {
            self.conditional()
        };
        self.nesting -= 1;
        expression
    }

    fn conditional(&mut self) -> Parsed<Expression> {
        let condition = self.binary()?;
        if !self.at_mark("?") {
            return Ok(condition);
        }
        self.next();
        let then = self.expression()?;
        if !self.eat(":") {
            return self.unexpected(Expected::Colon);
        }
        let otherwise = self.expression()?;
        let span = condition.span.join(otherwise.span);
        let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
        self.make(span, ExpressionKind::Conditional { condition, then, otherwise })
    }

    /// Returns the next operator, and its precedence.
    fn operator(&self) -> Option<(&'static str, usize)> {
        if self.is_document() {
            return self.document_operator();
        }
        let TokenKind::Mark(mark) = self.peek().kind else { return None };
        // Outside brackets, a line that starts with an operator does not continue the line before: it could be
        // `-1` on a line of its own.
        let goes_on = self.open > 0 || !self.peek().starts_line;
        let precedence = precedence(mark).filter(|_| goes_on)?;
        Some((canonical(mark), precedence))
    }

    /// Reads operators and their operands without recursion: operators that wait for their right side are
    /// kept on a stack.
    fn binary(&mut self) -> Parsed<Expression> {
        let mut waiting = Vec::new();
        let mut operand = Operand { expression: self.unary()?, compares: false };
        while let Some((operator, precedence)) = self.operator() {
            operand = self.combined(&mut waiting, operand, precedence)?;
            self.next();
            waiting.push(Waiting { left: operand, operator, precedence });
            let expression = if operator == "is" { self.qualified_name()? } else { self.unary()? };
            operand = Operand { expression, compares: false };
        }
        self.combined(&mut waiting, operand, 0).map(|it| it.expression)
    }

    /// Makes one of `right` and what waits for it, as far as that binds at least as tightly as `precedence`.
    fn combined(
        &mut self,
        waiting: &mut Vec<Waiting>,
        mut right: Operand,
        precedence: usize,
    ) -> Parsed<Operand> {
        while let Some(Waiting { left, operator, .. }) = waiting.pop_if(|it| it.precedence >= precedence) {
            let compares = is_comparison(operator) && !self.is_document();
            if compares && (left.compares || right.compares) {
                return self.refuse_chain(&left.expression, &right.expression);
            }
            let span = left.expression.span.join(right.expression.span);
            let [left, right_side] = [left.expression, right.expression].map(Box::new);
            let expression = self.make(span, ExpressionKind::Binary { operator, left, right: right_side })?;
            right = Operand { expression, compares };
        }
        Ok(right)
    }

    /// Refuses `a < b < c`.
    fn refuse_chain<T>(&mut self, left: &Expression, right: &Expression) -> Parsed<T> {
        let foreign = self.foreign(left.span.join(right.span), "… && …");
        self.refuse(foreign)
    }

    fn unary(&mut self) -> Parsed<Expression> {
        let mut before = Vec::new();
        loop {
            let token = self.peek();
            let operator = match token.kind {
                TokenKind::Mark("!") => "!",
                TokenKind::Mark("-") => "-",
                TokenKind::Mark("+") if self.is_document() => "+",
                TokenKind::Name if self.is_document() => match self.awaits() {
                    true => "await",
                    false => break,
                },
                // `await e` is `e`: everything is awaited.
                TokenKind::Name if self.word() == "await" && self.peek_ahead(1).starts_operand() => "",
                _ => break,
            };
            self.next();
            before.push((operator, token.span));
        }
        let mut expression = self.postfix()?;
        for (operator, span) in before.into_iter().rev() {
            expression = self.apply(operator, span, expression)?;
        }
        Ok(expression)
    }

    fn apply(&mut self, operator: &'static str, place: Span, of: Expression) -> Parsed<Expression> {
        let span = place.join(of.span);
        match (operator, of.kind) {
            ("", kind) => Ok(Expression { kind, ..of }),
            ("-", ExpressionKind::Number(number)) if !number.to_string().starts_with('-') => {
                match number::parse(&format!("-{number}")) {
                    Some(number) => self.make(span, ExpressionKind::Number(number)),
                    None => {
                        let kind = malformed(self.text(span));
                        self.fail(span, kind)
                    }
                }
            }
            (_, kind) => {
                let of = Box::new(Expression { kind, ..of });
                self.make(span, ExpressionKind::Unary { operator, of })
            }
        }
    }

    fn postfix(&mut self) -> Parsed<Expression> {
        let mut expression = self.primary()?;
        loop {
            let token = self.peek();
            expression = match token.kind {
                TokenKind::Mark("." | "?.") => self.member(expression)?,
                TokenKind::Mark("[") if !token.starts_line => self.index(expression)?,
                TokenKind::Mark("(") if !token.starts_line && self.is_document() => {
                    self.apply_to(expression)?
                }
                TokenKind::Mark("(") if !token.starts_line => return self.refuse_call(&expression),
                _ => return Ok(expression),
            };
        }
    }

    /// Refuses `xs[0](1)`; `(() => e)()` is `e`.
    fn refuse_call<T>(&mut self, callee: &Expression) -> Parsed<T> {
        let closer = self.brackets.closer(self.at);
        if let ExpressionKind::Lambda { parameters, .. } = &callee.kind
            && parameters.is_empty()
            && closer == self.at + 1
        {
            let foreign = self.foreign(callee.span.join(self.tokens[closer].span), "…");
            return self.refuse(foreign);
        }
        self.fail(callee.span, FailureKind::NotCallable)
    }

    fn member(&mut self, of: Expression) -> Parsed<Expression> {
        let mark = self.next().span;
        let or_null = self.text(mark) == "?.";
        if !self.at_name() {
            return match self.quoted_member() {
                Some((name, end)) if or_null => {
                    let span = of.span.join(end);
                    self.make(span, ExpressionKind::Member { of: Box::new(of), name, or_null })
                }
                _ => self.foreign_member(mark),
            };
        }
        let name = self.spelled();
        if self.at_mark("(") && !self.peek().starts_line {
            return self.call(Some(Box::new(of)), or_null, name);
        }
        let span = of.span.join(name.span);
        self.make(span, ExpressionKind::Member { of: Box::new(of), name, or_null })
    }

    /// Reads ``?.[`a b`]``: a member whose name cannot be spelled.
    fn quoted_member(&mut self) -> Option<(Spelled, Span)> {
        let [opener, name, closer] = self.tokens.get(self.at..self.at + 3)? else { return None };
        let (TokenKind::Text(text), true, true) = (&name.kind, opener.is_mark("["), closer.is_mark("]"))
        else {
            return None;
        };
        let found = (Spelled { text: text.clone(), span: name.span }, closer.span);
        self.at += 3;
        Some(found)
    }

    /// Refuses `xs?.[0]`, `xs.0`: elements are `xs[0]`.
    fn foreign_member<T>(&mut self, mark: Span) -> Parsed<T> {
        let next = self.peek();
        match &next.kind {
            TokenKind::Mark("[") => {
                let foreign = self.foreign(mark, "");
                self.refuse(foreign)
            }
            TokenKind::Number(number) => {
                let foreign = self.foreign(mark.join(next.span), format!("[{number}]"));
                self.refuse(foreign)
            }
            _ => self.unexpected(Expected::Name),
        }
    }

    fn index(&mut self, of: Expression) -> Parsed<Expression> {
        let opener = self.at;
        let closer = self.brackets.closer(opener);
        if let Some(foreign) = self.foreign_slice(&of, opener) {
            return self.refuse(foreign);
        }
        self.next();
        if self.at_mark(":") {
            return self.unexpected(Expected::Closing("]"));
        }
        let index = self.enclosed()?;
        if self.at != closer {
            return self.unexpected(Expected::Closing("]"));
        }
        let span = of.span.join(self.next().span);
        let (of, index) = (Box::new(of), Box::new(index));
        self.make(span, ExpressionKind::Index { of, index })
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let token = self.peek();
        match &token.kind {
            TokenKind::Name => self.name(),
            TokenKind::Number(number) => self.literal(ExpressionKind::Number(number.clone())),
            TokenKind::Text(text) => self.literal(ExpressionKind::Text(text.clone())),
            TokenKind::Mark("[") => self.list(),
            TokenKind::Mark("{") => self.object(),
            TokenKind::Mark("(") => self.parenthesized(),
            TokenKind::TemplateStart => self.template(),
            TokenKind::Pattern { pattern, flags } => {
                self.literal(ExpressionKind::Pattern { pattern: pattern.clone(), flags: flags.clone() })
            }
            _ => match self.foreign_operand() {
                Some(foreign) => self.refuse(foreign),
                None => self.unexpected(Expected::Expression),
            },
        }
    }

    fn literal(&mut self, kind: ExpressionKind) -> Parsed<Expression> {
        let span = self.next().span;
        self.make(span, kind)
    }

    fn parenthesized(&mut self) -> Parsed<Expression> {
        let closer = self.brackets.closer(self.at);
        let start = self.next().span;
        let inner = self.enclosed()?;
        if self.at != closer && self.at_mark(",") && !self.is_document() {
            let foreign = self.foreign(start.join(self.tokens[closer].span), "[…]");
            return self.refuse(foreign);
        }
        if self.at != closer {
            return self.unexpected(Expected::Closing(")"));
        }
        let span = start.join(self.next().span);
        Ok(Expression { span, ..inner })
    }

    /// Reads an expression between brackets.
    fn enclosed(&mut self) -> Parsed<Expression> {
        self.open += 1;
        let inner = self.expression();
        self.open -= 1;
        inner
    }

    fn name(&mut self) -> Parsed<Expression> {
        if let Some(foreign) = self.foreign_name() {
            return self.refuse(foreign);
        }
        let name = self.spelled();
        if self.at_mark("(") && !self.peek().starts_line {
            return self.call(None, false, name);
        }
        let kind = match name.text.as_str() {
            "null" => ExpressionKind::Null,
            "true" => ExpressionKind::Bool(true),
            "false" => ExpressionKind::Bool(false),
            "True" if !self.is_document() => ExpressionKind::Bool(true),
            "False" if !self.is_document() => ExpressionKind::Bool(false),
            _ => ExpressionKind::Name(name.text),
        };
        self.make(name.span, kind)
    }

    fn call(
        &mut self,
        receiver: Option<Box<Expression>>,
        or_null: bool,
        name: Spelled,
    ) -> Parsed<Expression> {
        let (arguments, enclosed) = self.separated(Self::argument);
        let start = receiver.as_ref().map_or(name.span, |it| it.span);
        let span = start.join(enclosed);
        let form = Form::Text;
        let call = Call { receiver, or_null, name, arguments, enclosed, form };
        self.make(span, ExpressionKind::Call(Box::new(call)))
    }

    /// Returns the index of the `=>` if a lambda starts here.
    fn lambda_ahead(&self) -> Option<usize> {
        let arrow = match self.peek().kind {
            TokenKind::Name => self.at + 1,
            TokenKind::Mark("(") => self.brackets.closer(self.at) + 1,
            _ => return None,
        };
        self.tokens.get(arrow)?.is_mark("=>").then_some(arrow)
    }

    fn lambda(&mut self, arrow: usize) -> Parsed<Expression> {
        let start = self.peek().span;
        let failures = self.failures.len();
        let parameters =
            if self.at_mark("(") { self.separated(Self::parameter).0 } else { vec![self.spelled().into()] };
        if self.failures.len() > failures {
            return Err(Skip);
        }
        debug_assert_eq!(self.at, arrow, "parameters end before the arrow");
        self.at = arrow + 1;
        let body = self.lambda_body()?;
        let span = start.join(Span::new(self.end_of_last(), self.end_of_last()));
        self.make(span, ExpressionKind::Lambda { parameters, body: Box::new(body) })
    }

    fn parameter(&mut self) -> Parsed<LambdaParameter> {
        match self.at_name() {
            true if self.is_document() => self.document_parameter(),
            true => Ok(self.spelled().into()),
            false if !self.is_document() && (self.at_mark("[") || self.at_mark("{")) => {
                let span = self.peek().span.join(self.tokens[self.brackets.closer(self.at)].span);
                let foreign = self.foreign(span, "x => …");
                self.refuse(foreign)
            }
            false => self.unexpected(Expected::Name),
        }
    }

    /// Reads a lambda's body. `{ return e }` is `e`; any other `{` opens an object.
    fn lambda_body(&mut self) -> Parsed<Expression> {
        if !self.at_mark("{") {
            return self.expression();
        }
        if self.is_document() {
            return self.block();
        }
        if let Some(foreign) = self.foreign_block() {
            return self.refuse(foreign);
        }
        let returns = self.peek_ahead(1).is_name() && self.text(self.peek_ahead(1).span) == "return";
        if !returns || self.peek_ahead(2).is_mark(":") {
            return self.expression();
        }
        let closer = self.brackets.closer(self.at);
        self.at += 2;
        let body = self.expression()?;
        while self.eat(";") {}
        if self.at != closer {
            return self.unexpected(Expected::Closing("}"));
        }
        self.next();
        Ok(body)
    }
}
