//! Operators of other languages, with their precedence: `not x > 2` is `!(x > 2)`.

use super::build::{self, binary, conditional, list, method, negative, node, not, null};
use super::reader::Reader;
use super::scan::Kind;
use super::value_kind::Kind as ValueKind;
use crate::ast::{Expression, ExpressionKind};

/// The precedence of `||`, `&&`, comparisons, `&`, `+` and `*`.
const OR: usize = 1;
const AND: usize = 2;
const COMPARES: usize = 3;
const ADDS: usize = 5;
const MULTIPLIES: usize = 6;

/// An operator between two operands.
struct Between {
    operator: Operator,
    /// The number of its tokens.
    tokens: usize,
    precedence: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Same(&'static str),
    /// `in`, or `not in`
    In {
        negated: bool,
    },
    /// `is`, which tells only literals apart
    Is(&'static str),
    /// `=` of SQL
    Equals,
    /// `//`
    FloorDivision,
    /// `&`, `|`: of conditions in brackets
    Bits(&'static str),
}

impl Reader<'_> {
    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Option<Expression> {
        self.nested(Self::whole)
    }

    fn whole(&mut self) -> Option<Expression> {
        if let Some(lambda) = self.lambda()? {
            return Some(lambda);
        }
        if self.at_word(&["if"]) {
            return self.conditional_statement();
        }
        let value = self.operators()?;
        if self.at_mark("?") {
            self.next();
            let condition = self.condition(value)?;
            let then = self.expression()?;
            self.expect(":")?;
            return Some(conditional(condition, then, self.expression()?));
        }
        if self.at_word(&["if"]) && self.goes_on() {
            self.next();
            let condition = self.operators()?;
            let condition = self.condition(condition)?;
            let otherwise = if self.eat_word(&["else"]) { self.expression()? } else { null() };
            return Some(conditional(condition, value, otherwise));
        }
        Some(value)
    }

    /// Reads operators and their operands, without a conditional around them.
    pub(super) fn operators(&mut self) -> Option<Expression> {
        self.nested(|it| it.operators_from(0))
    }

    /// Reads operators that bind at least as tightly as `least`.
    fn operators_from(&mut self, least: usize) -> Option<Expression> {
        let start = self.at;
        let mut left = if least <= COMPARES && self.at_any_case(&["not"]) && self.peek().is_name() {
            self.next();
            let of = self.nested(|it| it.operators_from(COMPARES))?;
            not(self.condition(of)?)
        } else {
            self.unary()?
        };
        let mut is_closed = self.is_closed(start);
        while let Some(between) = self.between().filter(|it| it.precedence >= least) {
            if between.precedence == COMPARES {
                left = self.compared(left, between)?;
            } else {
                self.at += between.tokens;
                let start = self.at;
                let right = self.nested(|it| it.operators_from(between.precedence + 1))?;
                let both_closed = is_closed && self.is_closed(start);
                left = self.combined(between.operator, left, right, both_closed)?;
            }
            is_closed = false;
        }
        Some(left)
    }

    /// Returns `true` if the operand from `start` is one in brackets.
    fn is_closed(&self, start: usize) -> bool {
        self.tokens[start].is_mark("(") && self.closers[start] + 1 == self.at
    }

    fn combined(
        &mut self,
        operator: Operator,
        left: Expression,
        right: Expression,
        both_closed: bool,
    ) -> Option<Expression> {
        let (one, other) = (self.kind(&left), self.kind(&right));
        match operator {
            Operator::Same(operator @ ("&&" | "||")) => {
                Some(binary(operator, self.condition(left)?, self.condition(right)?))
            }
            Operator::Bits(operator) => {
                let are_conditions = one == ValueKind::Bool && other == ValueKind::Bool;
                (both_closed && are_conditions).then(|| binary(operator, left, right))
            }
            Operator::Same("+") if one == ValueKind::List && other == ValueKind::List => {
                self.traits.is_python.then(|| list([(true, left), (true, right)]))
            }
            Operator::Same("+") => {
                let is_text = one == ValueKind::Text || other == ValueKind::Text;
                let joins = |it: ValueKind| {
                    let is_converted = it.is_number() || it == ValueKind::Bool;
                    it.may_be(ValueKind::Text) || is_converted && !self.traits.is_python
                };
                let is_sum =
                    if is_text { joins(one) && joins(other) } else { one.is_number() && other.is_number() };
                is_sum.then(|| binary("+", left, right))
            }
            Operator::Same("??") => Some(binary("??", left, right)),
            Operator::Same(operator) if one.is_number() && other.is_number() => {
                Some(binary(operator, left, right))
            }
            Operator::FloorDivision if one.is_number() && other.is_number() => {
                self.floor_division(left, right)
            }
            _ => None,
        }
    }

    /// Makes `(a - a % b) / b`, with the `%` of Python.
    fn floor_division(&mut self, left: Expression, right: Expression) -> Option<Expression> {
        let is_simple =
            |it: &Expression| matches!(it.kind, ExpressionKind::Name(_) | ExpressionKind::Number(_));
        let kinds = [self.kind(&left), self.kind(&right)];
        if !is_simple(&right) || kinds.contains(&ValueKind::Float) {
            return None;
        }
        let divided = |left: Expression| {
            let rest = binary(super::finish::FLOORED, left.clone(), right.clone());
            binary("/", binary("-", left, rest), right.clone())
        };
        if is_simple(&left) {
            return Some(divided(left));
        }
        let each = self.fresh()?;
        let body = divided(build::name(each));
        (!build::uses(&right, each)).then(|| build::binding(each, left, body))
    }

    /// Reads one comparison, or a chain of them: `1 < x < 3`.
    fn compared(&mut self, first: Expression, between: Between) -> Option<Expression> {
        let mut operands = vec![first];
        let mut operators: Vec<Operator> = Vec::new();
        let mut next = Some(between);
        while let Some(between) = next {
            self.at += between.tokens;
            operators.push(between.operator);
            operands.push(self.nested(|it| it.operators_from(COMPARES + 1))?);
            next = self.between().filter(|it| it.precedence == COMPARES);
        }
        if let [operator] = operators[..] {
            let right = operands.pop()?;
            return self.comparison(operator, operands.pop()?, right);
        }
        let is_chain = [["<", "<="], [">", ">="]]
            .iter()
            .any(|signs| operators.iter().all(|it| signs.iter().any(|sign| *it == Operator::Same(sign))));
        if !is_chain || self.traits.is_script {
            return None;
        }
        let mut all: Option<Expression> = None;
        for (pair, operator) in operands.windows(2).zip(operators) {
            let one = self.comparison(operator, pair[0].clone(), pair[1].clone())?;
            all = Some(all.map_or(one.clone(), |all| binary("&&", all, one)));
        }
        all
    }

    fn comparison(&self, operator: Operator, left: Expression, right: Expression) -> Option<Expression> {
        let (one, other) = (self.kind(&left), self.kind(&right));
        let is_literal = |it: &Expression| {
            matches!(
                it.kind,
                ExpressionKind::Null
                    | ExpressionKind::Bool(_)
                    | ExpressionKind::Number(_)
                    | ExpressionKind::Text(_)
            )
        };
        match operator {
            Operator::Same(operator @ ("==" | "!=")) => {
                let (is_list, is_object) = (one == ValueKind::List, one == ValueKind::Object);
                // Elsewhere lists and objects are compared by identity.
                let by_value = !(is_list || is_object) || !self.traits.is_script;
                (one.compares(other) && by_value).then(|| binary(operator, left, right))
            }
            Operator::Same(operator) => {
                let are_texts = one.may_be(ValueKind::Text) && other.may_be(ValueKind::Text);
                (one.is_number() && other.is_number() || are_texts).then(|| binary(operator, left, right))
            }
            Operator::Is(operator) => is_literal(&right).then(|| binary(operator, left, right)),
            Operator::Equals => {
                let is_target = matches!(
                    left.kind,
                    ExpressionKind::Name(_) | ExpressionKind::Member { .. } | ExpressionKind::Index { .. }
                );
                (self.is_query || !is_target && one.compares(other)).then(|| binary("==", left, right))
            }
            Operator::In { negated } => {
                let contains = self.contained(left, right)?;
                Some(if negated { not(contains) } else { contains })
            }
            _ => None,
        }
    }

    /// Makes `xs.contains(x)` of `x in xs`.
    fn contained(&self, item: Expression, all: Expression) -> Option<Expression> {
        let item_kind = self.kind(&item);
        // `!x in xs` negates `x` in one language, and everything in another.
        let is_negated = matches!(item.kind, ExpressionKind::Unary { operator: "!", .. });
        let fits = match self.kind(&all) {
            ValueKind::Text | ValueKind::Object => item_kind.may_be(ValueKind::Text),
            ValueKind::List => {
                let ExpressionKind::List(elements) = &all.kind else {
                    return Some(method(all, "contains", [item]));
                };
                elements.iter().all(|it| it.spread || item_kind.compares(self.kind(&it.value)))
                    && !(self.traits.is_script && !self.traits.is_python && item_kind.is_number())
            }
            // In C's family this asks for an index.
            ValueKind::Unknown => !self.traits.is_script || self.traits.is_python,
            _ => false,
        };
        (fits && !is_negated).then(|| method(all, "contains", [item]))
    }

    /// Returns the operator that stands here.
    fn between(&self) -> Option<Between> {
        if !self.goes_on() {
            return None;
        }
        let after = self.ahead(1);
        let is_mark_behind = |mark: &str| after.is_mark(mark) && after.is_adjacent;
        let then = |word: &str| after.word == word || after.word == word.to_ascii_uppercase();
        let found = |operator, tokens, precedence| Some(Between { operator, tokens, precedence });
        match self.peek().kind {
            Kind::Mark("=") if self.is_query || self.open > 0 => found(Operator::Equals, 1, COMPARES),
            Kind::Mark("<>") => found(Operator::Same("!="), 1, COMPARES),
            Kind::Mark("===") => found(Operator::Same("=="), 1, COMPARES),
            Kind::Mark("!==") => found(Operator::Same("!="), 1, COMPARES),
            Kind::Mark("//") => found(Operator::FloorDivision, 1, MULTIPLIES),
            Kind::Mark("&") => found(Operator::Bits("&&"), 1, COMPARES + 1),
            Kind::Mark("|") if self.tokens[self.at - 1].is_mark(")") && after.is_mark("(") => {
                found(Operator::Bits("||"), 1, COMPARES + 1)
            }
            Kind::Mark(mark @ ("+" | "-")) if !is_mark_behind(mark) => found(Operator::Same(mark), 1, ADDS),
            Kind::Mark("%") => found(Operator::Same(super::finish::FLOORED), 1, MULTIPLIES),
            Kind::Mark(mark @ ("*" | "/")) => found(Operator::Same(mark), 1, MULTIPLIES),
            Kind::Mark(mark @ ("==" | "!=" | "<" | ">" | "<=" | ">=")) => {
                found(Operator::Same(mark), 1, COMPARES)
            }
            Kind::Mark("&&") => found(Operator::Same("&&"), 1, AND),
            Kind::Mark("||") => found(Operator::Same("||"), 1, OR),
            Kind::Mark("??") => found(Operator::Same("??"), 1, 0),
            Kind::Name => match self.peek().word {
                "and" | "AND" => found(Operator::Same("&&"), 1, AND),
                "or" | "OR" => found(Operator::Same("||"), 1, OR),
                "is" | "IS" if then("not") => found(Operator::Is("!="), 2, COMPARES),
                "is" | "IS" => found(Operator::Is("=="), 1, COMPARES),
                "eq" => found(Operator::Same("=="), 1, COMPARES),
                "ne" => found(Operator::Same("!="), 1, COMPARES),
                "in" | "IN" if !self.ends_at_in => found(Operator::In { negated: false }, 1, COMPARES),
                "not" | "NOT" if then("in") => found(Operator::In { negated: true }, 2, COMPARES),
                _ => None,
            },
            _ => None,
        }
    }

    fn unary(&mut self) -> Option<Expression> {
        let operator = match self.peek().kind {
            Kind::Mark(mark @ ("!" | "-" | "+")) => mark,
            Kind::Name if self.at_word(&["await", "new"]) && self.ahead(1).starts_operand() => "",
            _ => return self.power(),
        };
        self.next();
        let of = self.nested(Self::unary)?;
        match operator {
            "!" => Some(not(self.condition(of)?)),
            "-" if self.kind(&of).is_number() => negative(of),
            "+" => matches!(of.kind, ExpressionKind::Number(_)).then_some(of),
            "" => Some(of),
            _ => None,
        }
    }

    /// Reads `x ** 2`, which is a product.
    fn power(&mut self) -> Option<Expression> {
        let base = self.postfix()?;
        if !self.at_mark("**") || !self.goes_on() {
            return Some(base);
        }
        self.next();
        let ExpressionKind::Number(exponent) = self.nested(Self::unary)?.kind else { return None };
        let is_simple = matches!(base.kind, ExpressionKind::Name(_) | ExpressionKind::Number(_));
        let count = exponent.as_u64().filter(|it| (2..=4).contains(it) && is_simple)?;
        let product = (1..count).fold(base.clone(), |product, _| binary("*", product, base.clone()));
        // A product is looser than what it stands for; the printer adds brackets.
        Some(node(product.kind))
    }
}
