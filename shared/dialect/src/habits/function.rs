//! Functions of other languages, which are lambdas here.

use super::build::{self, index, lambda, member, name, substitute_all};
use super::reader::Reader;
use super::scan::Kind;
use crate::ast::Expression;

/// A parameter, and the names that its parts are bound to.
#[derive(Default)]
pub(super) struct Parameter<'t> {
    /// The name, if it is not taken apart.
    pub(super) name: Option<&'t str>,
    /// `k` and `v` of `[k, v]`.
    elements: Vec<&'t str>,
    /// `path` of `{path}`; `p` of `{path: p}`: the member and the name.
    members: Vec<(&'t str, &'t str)>,
}

impl<'t> Parameter<'t> {
    pub(super) fn named(name: &'t str) -> Self {
        Self { name: Some(name), ..Self::default() }
    }

    /// Returns the names with the parts of the value `of` that they are bound to.
    pub(super) fn parts_of(&self, of: &str) -> Vec<(&'t str, Expression)> {
        let elements = (0..).zip(&self.elements).map(|(at, it)| (*it, index(name(of), build::integer(at))));
        let members = self.members.iter().map(|(part, bound)| (*bound, member(name(of), part, false)));
        elements.chain(members).collect()
    }

    fn bound(&self) -> Vec<&'t str> {
        self.name.iter().chain(&self.elements).copied().chain(self.members.iter().map(|it| it.1)).collect()
    }
}

/// Integers of languages that divide them without a fraction.
const INTEGERS: &[&str] = &[
    "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "Int", "Integer", "long", "Long",
    "short", "byte",
];

impl<'t> Reader<'t> {
    /// Reads a function, if one starts here.
    pub(super) fn lambda(&mut self) -> Option<Option<Expression>> {
        let next = self.ahead(1);
        if self.at_word(&["async"]) && (next.is_mark("(") || next.is_name()) {
            self.next();
            return self.lambda();
        }
        let is_arrow = |at: usize| ["=>", "->"].iter().any(|it| self.token_at(at).is_mark(it));
        match self.peek().kind {
            Kind::Name if self.at_word(&["lambda"]) && !is_arrow(self.at + 1) => {
                self.next();
                self.behind_lambda_word().map(Some)
            }
            Kind::Name if self.starts_function() => {
                self.next();
                self.function().map(Some)
            }
            // `p->path` is a member in C.
            Kind::Name if is_arrow(self.at + 1) && (next.is_mark("=>") || !next.is_adjacent) => {
                let parameter = Parameter::named(self.name()?);
                self.next();
                self.body_of(vec![parameter]).map(Some)
            }
            Kind::Mark("(") if is_arrow(self.closer() + 1) || self.is_typed_lambda() => {
                self.function().map(Some)
            }
            Kind::Mark("{" | "[") if is_arrow(self.closer() + 1) => {
                let parameter = self.parameter()?;
                self.next();
                self.body_of(vec![parameter]).map(Some)
            }
            Kind::Mark("|") => {
                self.next();
                self.traits.is_compiled = true;
                let parameters = self.parameters("|")?;
                self.body_of(parameters).map(Some)
            }
            Kind::Mark("||") => {
                self.next();
                self.traits.is_compiled = true;
                self.body_of(Vec::new()).map(Some)
            }
            _ => Some(None),
        }
    }

    /// Returns `true` at `(x): number => x + 1`.
    fn is_typed_lambda(&self) -> bool {
        let behind = self.closer() + 1;
        self.token_at(behind).is_mark(":")
            && self.token_at(behind + 1).is_name()
            && self.token_at(behind + 2).is_mark("=>")
    }

    fn starts_function(&self) -> bool {
        let is_word = self.at_word(&["function", "fn", "func", "fun", "proc"]);
        is_word && self.ahead(1).is_mark("(") && {
            let behind = self.token_at(self.closers[self.at + 1] + 1);
            ["{", "=>", "->", "=", ":"].iter().any(|it| behind.is_mark(it))
        }
    }

    /// Reads `(x) => x + 1`, or `(x) { return x + 1 }`.
    pub(super) fn function(&mut self) -> Option<Expression> {
        self.next();
        let parameters = self.parameters(")")?;
        if self.eat(":") {
            self.skip_type()?;
        }
        if self.at_mark("->") && self.ahead(1).is_name() && self.ahead(2).is_mark("{") {
            self.next();
            self.skip_type()?;
        }
        for arrow in ["=>", "->", "="] {
            self.eat(arrow);
        }
        self.body_of(parameters)
    }

    /// Reads `x, y: x + y`.
    fn behind_lambda_word(&mut self) -> Option<Expression> {
        let mut parameters = Vec::new();
        while !self.at_mark(":") {
            parameters.push(Parameter::named(self.name()?));
            if !self.eat(",") && !self.at_mark(":") {
                return None;
            }
        }
        self.next();
        self.body_of(parameters)
    }

    /// Returns `true` at the function in `xs.map { |x| x + 1 }`, `xs.map { x -> x + 1 }`, `xs.map { it + 1 }`.
    pub(super) fn starts_block_function(&self) -> bool {
        let (first, second) = (self.ahead(1), self.ahead(2));
        first.is_mark("|") || first.is_name() && second.is_mark("->") || first.word == "it"
    }

    /// Reads that function.
    pub(super) fn block_function(&mut self) -> Option<Expression> {
        self.next();
        self.traits.is_compiled = true;
        let function = self.enclosed(|it| match it.lambda()? {
            Some(lambda) => Some(lambda),
            None => it.binding(&["it"], Self::expression).map(|body| lambda(&["it"], body)),
        })?;
        self.expect("}")?;
        Some(function)
    }

    fn parameters(&mut self, closing: &str) -> Option<Vec<Parameter<'t>>> {
        let mut parameters = Vec::new();
        while !self.eat(closing) {
            parameters.push(self.parameter()?);
            if !self.eat(",") && !self.at_mark(closing) {
                return None;
            }
        }
        Some(parameters)
    }

    /// Reads `x`, `x: number`, `[k, v]`, `{path, line: n}`.
    pub(super) fn parameter(&mut self) -> Option<Parameter<'t>> {
        let mut parameter = Parameter::default();
        self.eat("&");
        match self.peek().kind {
            Kind::Name => parameter.name = Some(self.name()?),
            Kind::Mark("[" | "(") => parameter.elements = self.loop_names()?,
            Kind::Mark("{") => {
                self.next();
                while !self.eat("}") {
                    let member = self.name()?;
                    let bound = if self.eat(":") { self.name()? } else { member };
                    parameter.members.push((member, bound));
                    if !self.eat(",") && !self.at_mark("}") {
                        return None;
                    }
                }
            }
            _ => return None,
        }
        self.eat("?");
        if self.eat(":") {
            self.skip_type()?;
        }
        Some(parameter)
    }

    /// Skips a type: `string`, `Array<number>`, `string[]`, `a.B | null`.
    pub(super) fn skip_type(&mut self) -> Option<()> {
        self.eat("&");
        loop {
            if !self.peek().is_name() {
                return None;
            }
            self.traits.is_compiled |= self.at_word(INTEGERS);
            self.next();
            while self.eat(".") {
                self.name()?;
            }
            let generic = [("<", ">"), ("[", "]")].into_iter().find(|(it, _)| self.eat(it));
            if let Some((_, closing)) = generic
                && !self.eat(closing)
            {
                self.nested(Self::skip_type)?;
                while self.eat(",") {
                    self.nested(Self::skip_type)?;
                }
                self.expect(closing)?;
            }
            while self.at_mark("[") && self.ahead(1).is_mark("]") {
                self.at += 2;
            }
            if !self.at_mark("|") || !self.ahead(1).is_name() {
                return Some(());
            }
            self.next();
        }
    }

    /// Reads the body behind an arrow, or in braces.
    pub(super) fn body_of(&mut self, parameters: Vec<Parameter<'t>>) -> Option<Expression> {
        let names: Vec<&str> = parameters.iter().flat_map(Parameter::bound).collect();
        let body = self.binding(&names, |it| if it.at_block() { it.block() } else { it.expression() })?;
        self.function_of(parameters, body)
    }

    /// Makes the lambda, with a name for each parameter that is taken apart.
    pub(super) fn function_of(
        &self,
        parameters: Vec<Parameter<'t>>,
        mut body: Expression,
    ) -> Option<Expression> {
        let mut names: Vec<&str> = Vec::new();
        for parameter in parameters {
            if let Some(own) = parameter.name {
                names.push(own);
                continue;
            }
            let fresh = self.fresh().filter(|it| !names.contains(it))?;
            substitute_all(&mut body, parameter.parts_of(fresh))?;
            names.push(fresh);
        }
        Some(lambda(&names, body))
    }
}
