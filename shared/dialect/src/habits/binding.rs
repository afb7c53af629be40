//! Declarations of other languages: `let x: number = 5`, `int x = 5`, `def f(x): return x`.

use super::build;
use super::function::Parameter;
use super::reader::Reader;
use super::scan::Kind;
use super::value_kind::Kind as ValueKind;
use crate::ast::{Expression, ExpressionKind};

/// Words before the name of what is declared.
const DECLARES: &[&str] = &["let", "const", "var", "val", "auto", "my", "local", "final", "mut", "static"];

/// A name and its value.
pub(super) type Bound<'t> = (&'t str, Expression);

impl<'t> Reader<'t> {
    /// Reads the names and values that a line binds, if it does.
    pub(super) fn bindings(&mut self) -> Option<Option<Vec<Bound<'t>>>> {
        if let Some(changed) = self.changed()? {
            return Some(Some(vec![changed]));
        }
        if let Some(function) = self.named_function()? {
            return Some(Some(vec![function]));
        }
        let start = self.at;
        while self.at_word(DECLARES) && !self.ahead(1).starts_line && self.starts_target(1) {
            self.next();
        }
        let declares = self.at > start;
        // `int x = 5`
        let is_typed = self.peek().is_name() && self.ahead(1).is_name() && self.ahead(2).is_mark("=");
        if is_typed && !self.ahead(1).starts_line {
            self.traits.is_compiled = true;
            self.next();
        }
        if declares && (self.at_mark("{") || self.at_mark("[")) {
            return self.taken_apart().map(Some);
        }
        let Some(names) = self.targets() else {
            self.at = start;
            return if declares { None } else { Some(None) };
        };
        let values = self.values(names.len(), declares)?;
        Some(Some(names.into_iter().zip(values).collect()))
    }

    fn starts_target(&self, ahead: usize) -> bool {
        let token = self.ahead(ahead);
        token.is_name() || ["[", "{"].iter().any(|it| token.is_mark(it))
    }

    /// Reads `x =`, `x: number =`, `a, b =`, `x :=`.
    fn targets(&mut self) -> Option<Vec<&'t str>> {
        let mut names = vec![self.name()?];
        while self.open == 0 && self.eat(",") {
            names.push(self.name()?);
        }
        if self.eat(":") {
            self.skip_type()?;
        }
        let is_binding = (self.at_mark("=") || self.at_mark(":=")) && !self.peek().starts_line;
        is_binding.then(|| self.next())?;
        Some(names)
    }

    fn values(&mut self, count: usize, declares: bool) -> Option<Vec<Expression>> {
        let (start, bound) = (self.at, self.bound.len());
        let first = self.expression();
        // `let x = e in f(x)` has the value of what follows.
        let is_line = declares && count == 1 && self.nesting == 0;
        if is_line && (first.is_none() || self.at_end()) {
            self.at = start;
            self.bound.truncate(bound);
            self.ends_at_in = true;
            let value = self.expression();
            self.ends_at_in = false;
            return self.eat_word(&["in"]).then_some(vec![value?]);
        }
        let mut values = vec![first?];
        while count > values.len() && self.eat(",") {
            values.push(self.expression()?);
        }
        // `a, b = b, a` binds both at once.
        let is_simple =
            |it: &Expression| it.kind.children().is_empty() && !matches!(it.kind, ExpressionKind::Name(_));
        (count == values.len() && (count == 1 || values.iter().all(is_simple))).then_some(values)
    }

    /// Reads `const {path, line: n} = x`, `const [a, b] = xs`.
    fn taken_apart(&mut self) -> Option<Vec<Bound<'t>>> {
        let parameter = self.parameter()?;
        self.expect("=")?;
        let value = self.expression()?;
        let ExpressionKind::Name(of) = &value.kind else { return None };
        Some(parameter.parts_of(of))
    }

    /// Reads `x += 1`, `x++`.
    fn changed(&mut self) -> Option<Option<Bound<'t>>> {
        let (next, behind) = (self.ahead(1), self.ahead(2));
        if !self.peek().is_name() || next.starts_line {
            return Some(None);
        }
        let operator = match next.kind {
            Kind::Mark("+=" | "++") => "+",
            Kind::Mark("-=" | "--") => "-",
            Kind::Mark("*=") => "*",
            _ => return Some(None),
        };
        let steps = next.is_mark("++") || next.is_mark("--");
        let is_alone = behind.starts_line || behind.is_mark(";");
        let name = self.name()?;
        self.next();
        let value = match steps {
            true if is_alone && !matches!(behind.kind, Kind::End) => build::integer(1),
            true => return None,
            false => self.expression()?,
        };
        let is_known = self.bound.iter().any(|(bound, _)| bound == name);
        let of = build::name(name);
        let kinds = [self.kind(&of), self.kind(&value)];
        let are_numbers = kinds.iter().all(|it| matches!(it, ValueKind::Integer | ValueKind::Float));
        let are_texts = operator == "+" && kinds == [ValueKind::Text; 2];
        (is_known && (are_numbers || are_texts)).then(|| Some((name, build::binary(operator, of, value))))
    }

    /// Reads `def f(x): return x + 1`, `function f(x) { return x + 1 }`.
    fn named_function(&mut self) -> Option<Option<Bound<'t>>> {
        let is_function = self.at_word(&["def", "function", "fn", "fun", "func"])
            && self.ahead(1).is_name()
            && self.ahead(2).is_mark("(");
        if !is_function {
            return Some(None);
        }
        let is_python = self.at_word(&["def"]);
        self.next();
        let called = self.name()?;
        if !is_python {
            let behind = self.token_at(self.closer() + 1);
            let has_body = ["{", ":", "->", "="].iter().any(|it| behind.is_mark(it));
            return has_body.then(|| self.function())?.map(|it| Some((called, it)));
        }
        self.next();
        let mut parameters = Vec::new();
        while !self.eat(")") {
            parameters.push(Parameter::named(self.name()?));
            if self.eat(":") {
                self.skip_type()?;
            }
            if !self.eat(",") && !self.at_mark(")") {
                return None;
            }
        }
        if self.eat("->") {
            self.skip_type()?;
        }
        self.expect(":")?;
        self.expect_word(&["return"])?;
        self.body_of(parameters).map(|it| Some((called, it)))
    }
}
