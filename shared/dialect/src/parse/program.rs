//! Whole programs: bindings, and the expression that is the result.

use source_text::Span;

use super::parser::{Parsed, Parser, Skip};
use crate::FailureKind;
use crate::ast::{Expression, ExpressionKind, Spelled};
use crate::failure::Expected;
use crate::form::is_literal;

/// A line of a program.
enum Line {
    /// `x = 1`
    Binding(Spelled, Expression),
    /// `x + 1`
    Result(Expression),
}

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Parsed<Expression> {
        while self.eat(";") {}
        if self.at_end() {
            if self.failures.is_empty() {
                self.failures.push(FailureKind::EmptyProgram.into());
            }
            return Err(Skip);
        }
        let start = self.peek().span.start;
        let mut lines = Vec::new();
        while !self.at_end() {
            let line = self.line()?;
            let binds = matches!(line, Line::Binding(..));
            let (Line::Binding(_, value) | Line::Result(value)) = &line;
            let value = value.span.start;
            lines.push(line);
            self.end_of_line(start, value, binds)?;
        }
        self.together(lines)
    }

    fn line(&mut self) -> Parsed<Line> {
        if let Some(foreign) = self.foreign_statement() {
            return self.refuse(foreign);
        }
        let declares = matches!(self.word(), "let" | "const" | "var") && self.peek_ahead(1).is_name();
        if declares {
            self.next();
        }
        if self.at_name() && self.peek_ahead(1).is_mark("=") {
            if is_literal(self.word()) {
                return self.unexpected(Expected::Name);
            }
            let name = self.spelled();
            self.next();
            return Ok(Line::Binding(name, self.expression()?));
        }
        if declares {
            return self.unexpected(Expected::Binding);
        }
        if self.at_word("return") && !self.peek_ahead(1).is_mark("(") {
            self.next();
        }
        self.expression().map(Line::Result)
    }

    /// Reads the end of a line: `;`, or a line break. The program starts at `start`, and the expression of
    /// this line at `value`; `binds` is true if the line binds a name.
    fn end_of_line(&mut self, start: usize, value: usize, binds: bool) -> Parsed<()> {
        let mut ended = self.at_end();
        while self.eat(";") {
            ended = true;
        }
        if ended {
            return Ok(());
        }
        let (before, value) = (Span::new(start, self.end_of_last()), Span::new(value, self.end_of_last()));
        if let Some(foreign) = self.foreign_end(before, value, binds) {
            return self.refuse(foreign);
        }
        if self.peek().starts_line { Ok(()) } else { self.unexpected(Expected::End) }
    }

    /// Makes the program of its lines. Only the last line must be an expression.
    fn together(&mut self, lines: Vec<Line>) -> Parsed<Expression> {
        let (mut bindings, mut results) = (Vec::new(), Vec::new());
        let mut is_last = false;
        for line in lines {
            is_last = matches!(line, Line::Result(_));
            match line {
                Line::Binding(name, value) => bindings.push((name, value)),
                Line::Result(result) => results.push(result),
            }
        }
        let one = match <[Expression; 1]>::try_from(results) {
            Ok([result]) if is_last => result,
            Ok([result]) => return self.several(&bindings, &[result]),
            Err(results) if results.is_empty() => return self.no_result(&bindings),
            Err(results) => return self.several(&bindings, &results),
        };
        if bindings.is_empty() {
            return Ok(one);
        }
        let span = bindings[0].0.span.join(one.span);
        self.make(span, ExpressionKind::Let { bindings, result: Box::new(one) })
    }

    /// Reports a program that ends with a binding, and has no result.
    fn no_result(&mut self, bindings: &[(Spelled, Expression)]) -> Parsed<Expression> {
        let (name, value) = bindings.last().expect("a program has lines");
        self.fail(name.span.join(value.span), FailureKind::NoResult { name: name.text.clone() })
    }

    /// Reports several lines that bind nothing. All but the last would be lost.
    fn several(&mut self, bindings: &[(Spelled, Expression)], results: &[Expression]) -> Parsed<Expression> {
        let bound =
            bindings.iter().map(|(name, value)| format!("{} = {}\n", name.text, self.text(value.span)));
        let results_texts: Vec<&str> = results.iter().map(|it| self.text(it.span)).collect();
        let results_text = match results_texts.as_slice() {
            [one] => (*one).to_owned(),
            all => format!("[{}]", all.join(", ")),
        };
        let program = format!("{}{results_text}", bound.collect::<String>());
        self.fail(results[0].span, FailureKind::SeveralResults { program })
    }
}
