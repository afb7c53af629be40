//! Items between brackets: elements, fields, arguments, comprehensions.

use super::build::{self, call, lambda, list, method, name};
use super::reader::Reader;
use super::scan::Kind;
use crate::ast::{Argument, Expression, ExpressionKind, Spelled};

impl<'t> Reader<'t> {
    /// Reads a list, or the list that a comprehension makes.
    pub(super) fn list(&mut self) -> Option<Expression> {
        self.next();
        let read = self.enclosed(|it| {
            let mut elements = Vec::new();
            while !it.at_mark("]") {
                let spread = it.eat("...") || it.eat("*");
                let value = it.expression()?;
                if it.at_word(&["for"]) && elements.is_empty() && !spread {
                    return it.comprehension_of(value);
                }
                elements.push((spread, value));
                if !it.eat(",") && !it.at_mark("]") {
                    return None;
                }
            }
            Some(list(elements))
        })?;
        self.expect("]")?;
        Some(read)
    }

    pub(super) fn field(&mut self) -> Option<(Spelled, Expression)> {
        let token = self.peek();
        let key = match &token.kind {
            Kind::Name => token.word,
            Kind::Text(text) => text,
            _ => return None,
        };
        self.next();
        if token.is_name() && (self.at_mark(",") || self.at_mark("}")) {
            return Some((build::spelled(key), name(key)));
        }
        // `=>` is of Ruby and PHP.
        if !self.eat(":") {
            self.expect("=>")?;
        }
        Some((build::spelled(key), self.expression()?))
    }

    /// Reads the arguments of a call, from the bracket that opens.
    pub(super) fn arguments(&mut self) -> Option<Vec<Argument>> {
        self.next();
        let arguments = self.enclosed(|it| {
            let mut arguments = Vec::new();
            while !it.at_mark(")") {
                arguments.push(it.argument()?);
                if !it.eat(",") && !it.at_mark(")") {
                    return None;
                }
            }
            Some(arguments)
        })?;
        self.expect(")")?;
        Some(arguments)
    }

    fn argument(&mut self) -> Option<Argument> {
        let token = self.peek();
        let is_named = self.ahead(1).is_mark("=") || self.ahead(1).is_mark(":") && token.word != "lambda";
        let called = match &token.kind {
            Kind::Name => Some(token.word),
            Kind::Text(text) => Some(text.as_str()),
            _ => None,
        };
        if let Some(called) = called.filter(|_| is_named) {
            self.at += 2;
            return Some(Argument { name: Some(build::spelled(called)), value: self.expression()? });
        }
        let mut value = self.expression()?;
        if self.at_word(&["for"]) {
            value = self.comprehension_of(value)?;
        }
        Some(Argument { name: None, value })
    }

    /// Reads `for x in xs if c`, behind what is made of each element.
    pub(super) fn comprehension_of(&mut self, made: Expression) -> Option<Expression> {
        self.traits.is_python = true;
        self.expect_word(&["for"])?;
        let names = self.loop_names()?;
        self.expect_word(&["in", "of"])?;
        let mut all = self.operators()?;
        while self.eat_word(&["if"]) {
            let condition = self.binding(&names, Self::operators)?;
            let condition = self.condition(condition)?;
            all = method(all, "filter", [self.over(&names, condition)?]);
        }
        if self.at_word(&["for"]) {
            let inner = self.nested(|it| it.comprehension_of(made))?;
            return Some(call("flatten", [method(all, "map", [self.over(&names, inner)?])]));
        }
        let is_itself =
            matches!((&made.kind, names.as_slice()), (ExpressionKind::Name(made), [name]) if made == name);
        if is_itself {
            return Some(all);
        }
        Some(method(all, "map", [self.over(&names, made)?]))
    }

    /// Reads `x`, or `k, v`.
    pub(super) fn loop_names(&mut self) -> Option<Vec<&'t str>> {
        let closing = ["(", "["].into_iter().find(|it| self.eat(it));
        let mut names = vec![self.name()?];
        while self.eat(",") {
            names.push(self.name()?);
        }
        if let Some(opening) = closing {
            self.expect(crate::brackets::closer(opening)?)?;
        }
        Some(names)
    }

    /// Makes the lambda over an element, which several names take apart.
    pub(super) fn over(&self, names: &[&str], mut body: Expression) -> Option<Expression> {
        if let [one] = names {
            return Some(lambda(&[one], body));
        }
        let fresh = self.fresh()?;
        let parts =
            (0..).zip(names).map(|(at, bound)| (*bound, build::index(name(fresh), build::integer(at))));
        build::substitute_all(&mut body, parts.collect())?;
        Some(lambda(&[fresh], body))
    }
}
