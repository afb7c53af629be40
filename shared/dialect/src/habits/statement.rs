//! Programs and statements of other languages, where this one has expressions.

use super::binding::Bound;
use super::build::{binary, call, conditional, member, method, node, null, spelled, uses};
use super::finish::changes;
use super::reader::Reader;
use crate::ast::{Call, Expression, ExpressionKind};

/// A line of a program.
pub(super) enum Line<'t> {
    /// Names and values.
    Bindings(Vec<Bound<'t>>),
    /// An expression whose value nothing binds: the result, if it is on the last line.
    Result(Expression),
    /// Nothing: an import.
    Nothing,
}

impl<'t> Reader<'t> {
    /// Reads all lines. Only the last has a value.
    pub(super) fn program(&mut self) -> Option<Expression> {
        let mut bindings = Vec::new();
        let mut result = None;
        while !self.at_end() {
            if self.eat(";") {
                continue;
            }
            let is_in = self.tokens[..self.at].last().is_some_and(|it| it.word == "in");
            let starts = self.at == 0 || self.peek().starts_line || self.tokens[self.at - 1].is_mark(";");
            if result.is_some() || !starts && !is_in {
                return None;
            }
            match self.line()? {
                Line::Bindings(bound) => {
                    bindings.extend(bound.into_iter().map(|(name, value)| (spelled(name), value)));
                }
                Line::Result(value) => result = Some(printed(value)),
                Line::Nothing => {}
            }
        }
        let result = result?;
        if bindings.is_empty() {
            return Some(result);
        }
        Some(node(ExpressionKind::Let { bindings, result: result.into() }))
    }

    pub(super) fn line(&mut self) -> Option<Line<'t>> {
        let next = self.ahead(1);
        let follows_word = next.is_name() && !next.starts_line;
        if self.at_word(&["import", "from", "use", "using"]) && follows_word && self.open == 0 {
            while !self.at_end() && !self.at_mark(";") {
                self.next();
                if self.peek().starts_line {
                    break;
                }
            }
            return Some(Line::Nothing);
        }
        if self.at_word(&["return"]) && !next.is_mark("=") {
            self.next();
            return self.expression().map(Line::Result);
        }
        if let Some(bindings) = self.bindings()? {
            for (name, value) in &bindings {
                let kind = self.kind(value);
                self.bound.push(((*name).to_owned(), kind));
            }
            return Some(Line::Bindings(bindings));
        }
        self.statement().map(Line::Result)
    }

    /// Reads a statement with a value.
    fn statement(&mut self) -> Option<Expression> {
        if self.at_word(&["for", "foreach"]) {
            return self.loop_over();
        }
        if self.at_word(&["try"]) && self.ahead(1).is_mark("{") {
            return self.attempt();
        }
        if self.at_any_case(&["select"]) && (self.ahead(1).is_name() || self.ahead(1).is_mark("*")) {
            return self.query();
        }
        let mut value = self.expression()?;
        while (self.at_mark("|") || self.at_mark("|>")) && !self.peek().starts_line {
            value = self.piped(value)?;
        }
        Some(value)
    }

    /// Reads `for (const x of xs) { f(x) }`, `for x in xs: f(x)`.
    fn loop_over(&mut self) -> Option<Expression> {
        self.next();
        let in_brackets = self.at_mark("(") && self.closer() > self.at + 2 && self.ahead(1).is_name();
        let opener = self.at;
        if in_brackets {
            self.next();
        }
        let declares = self.eat_word(&["const", "let", "var"]);
        let names = self.loop_names()?;
        // `in` is about indexes there.
        if declares && self.at_word(&["in"]) {
            return None;
        }
        self.expect_word(&["in", "of"])?;
        let all = self.operators()?;
        if in_brackets {
            (self.at == self.closers[opener]).then(|| self.next())?;
        }
        let body = self.binding(&names, |it| {
            if it.at_mark("{") {
                return it.block();
            }
            if !in_brackets {
                it.expect(":")?;
            }
            let leaves = it.at_word(&["return", "yield", "if"]);
            if leaves { None } else { it.expression() }
        })?;
        (!changes(&body)).then_some(())?;
        Some(method(all, "map", [self.over(&names, body)?]))
    }

    /// Reads `try { e } catch (error) { f }`.
    fn attempt(&mut self) -> Option<Expression> {
        self.next();
        let tried = self.block()?;
        self.expect_word(&["catch"])?;
        let mut error = None;
        if self.eat("(") {
            error = Some(self.name()?);
            self.expect(")")?;
        }
        let otherwise = if self.at_mark("{") && self.ahead(1).is_mark("}") {
            self.at += 2;
            null()
        } else {
            self.block()?
        };
        if error.is_some_and(|error| uses(&otherwise, error)) {
            return None;
        }
        let tried = call("attempt", [tried]);
        if otherwise.kind == ExpressionKind::Null {
            return Some(member(tried, "value", true));
        }
        let each = self.fresh().filter(|it| !uses(&otherwise, it))?;
        let of = |name: &str| member(super::build::name(each), name, true);
        let failed = binary("!=", of("failure"), null());
        Some(super::build::binding(each, tried, conditional(failed, otherwise, of("value"))))
    }

    /// Reads `if (c) { a } else { b }`, `if c: a else: b`, `if c then a else b`.
    pub(super) fn conditional_statement(&mut self) -> Option<Expression> {
        let (condition, then, _) = self.condition_and_branch()?;
        let otherwise = self.other_branch()?.unwrap_or_else(null);
        Some(conditional(condition, then, otherwise))
    }

    /// Reads `if c: a`, and tells whether `a` is returned.
    pub(super) fn condition_and_branch(&mut self) -> Option<(Expression, Expression, bool)> {
        self.next();
        let condition = self.operators()?;
        let condition = self.condition(condition)?;
        let (then, returns) = self.branch()?;
        Some((condition, then, returns))
    }

    pub(super) fn other_branch(&mut self) -> Option<Option<Expression>> {
        if self.at_word(&["else"]) && self.ahead(1).word == "if" {
            self.next();
            return self.nested(Self::conditional_statement).map(Some);
        }
        if self.at_word(&["elif", "elsif"]) {
            return self.nested(Self::conditional_statement).map(Some);
        }
        if !self.eat_word(&["else"]) {
            return Some(None);
        }
        let (otherwise, _) = self.branch()?;
        self.eat_word(&["end"]);
        Some(Some(otherwise))
    }

    fn branch(&mut self) -> Option<(Expression, bool)> {
        if self.at_mark("{") {
            let returns = self.ahead(1).word == "return";
            return Some((self.block()?, returns));
        }
        let is_marked = self.eat_word(&["then"]) || self.eat(":");
        let is_behind = self.tokens[self.at - 1].is_mark(")") || self.tokens[self.at - 1].word == "else";
        if !is_marked && !is_behind {
            return None;
        }
        let returns = self.eat_word(&["return"]);
        let value = self.expression()?;
        self.eat(";");
        Some((value, returns))
    }
}

/// Returns what a program prints at its end, or its last value.
fn printed(value: Expression) -> Expression {
    let is_printer = |call: &Call| match (&call.receiver, call.name.text.as_str()) {
        (None, "print" | "println" | "puts") => true,
        (Some(of), "log" | "info") => matches!(&of.kind, ExpressionKind::Name(name) if name == "console"),
        _ => false,
    };
    match value.kind {
        ExpressionKind::Call(mut call)
            if is_printer(&call) && call.arguments.len() == 1 && call.arguments[0].name.is_none() =>
        {
            call.arguments.remove(0).value
        }
        kind => node(kind),
    }
}
