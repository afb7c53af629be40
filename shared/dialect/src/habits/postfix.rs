//! Members, elements, slices and calls.

use super::build::{self, call_of, index, member, method};
use super::reader::Reader;
use super::scan::Kind;
use crate::ast::{Argument, Expression, ExpressionKind};

/// Types whose values are converted by `as`.
const CONVERTED: &[&str] = &[
    "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32", "f64", "int", "Int",
    "float",
];

/// The marks between the bounds of a slice. Behind the last, the end belongs to it.
const SLICES: &[&str] = &[":", "..", "..="];

impl Reader<'_> {
    pub(super) fn postfix(&mut self) -> Option<Expression> {
        let mut expression = self.primary()?;
        loop {
            let token = self.peek();
            let here = !token.starts_line;
            expression = match token.kind {
                Kind::Mark("." | "?.") => self.member_of(expression)?,
                Kind::Mark("->") if token.is_adjacent && self.ahead(1).is_name() => {
                    self.next();
                    self.named_member(expression, false)?
                }
                Kind::Mark("[") if here => self.part(expression)?,
                Kind::Mark("(") if here => self.applied(expression)?,
                Kind::Mark("{") if here && is_call(&expression) && self.starts_block_function() => {
                    let function = self.block_function()?;
                    with_argument(expression, function)
                }
                // `x!.path` asserts that `x` is there.
                Kind::Mark("!") if token.is_adjacent && self.ahead(1).is_mark(".") => {
                    self.next();
                    expression
                }
                Kind::Name if here && self.at_word(&["as"]) && self.ahead(1).is_name() => {
                    self.next();
                    if self.at_word(CONVERTED) {
                        return None;
                    }
                    self.skip_type()?;
                    expression
                }
                _ => return Some(expression),
            };
        }
    }

    fn member_of(&mut self, of: Expression) -> Option<Expression> {
        let or_null = self.next().is_mark("?.");
        match &self.peek().kind {
            Kind::Number(number) if !or_null => {
                let at = i64::try_from(number.as_u64()?).ok()?;
                self.next();
                Some(index(of, build::integer(at)))
            }
            Kind::Mark("[") if or_null => {
                if let Kind::Text(name) = &self.ahead(1).kind {
                    self.at += 2;
                    self.expect("]")?;
                    return Some(member(of, name, true));
                }
                self.part(of)
            }
            _ => self.named_member(of, or_null),
        }
    }

    fn named_member(&mut self, of: Expression, or_null: bool) -> Option<Expression> {
        let is_name = self.peek().is_name();
        let called = is_name.then(|| self.next().word)?;
        if self.at_mark("(") && !self.peek().starts_line {
            let arguments = self.arguments()?;
            return Some(call_of(Some(of), or_null, called, arguments));
        }
        Some(member(of, called, or_null))
    }

    /// Reads `xs[0]`, `xs[1:3]`, `xs[1..3]`, `xs[1..=3]`.
    fn part(&mut self, of: Expression) -> Option<Expression> {
        self.next();
        let (from, between, to) = self.enclosed(|it| {
            let from = it.bound_of_slice()?;
            let between = SLICES.iter().find(|mark| it.eat(mark));
            let to = if between.is_some() { it.bound_of_slice()? } else { None };
            Some((from, between, to))
        })?;
        self.expect("]")?;
        match between {
            Some(between) => sliced(of, from, to, *between == "..="),
            None => from.map(|at| index(of, at)),
        }
    }

    fn bound_of_slice(&mut self) -> Option<Option<Expression>> {
        let is_absent = self.at_mark("]") || SLICES.iter().any(|it| self.at_mark(it));
        if is_absent { Some(None) } else { self.expression().map(Some) }
    }

    /// Reads `(x => x + 1)(2)`.
    fn applied(&mut self, function: Expression) -> Option<Expression> {
        let mut arguments = self.arguments()?;
        let ExpressionKind::Lambda { parameters, body } = function.kind else { return None };
        match (parameters.as_slice(), arguments.pop()) {
            ([], None) => Some(*body),
            ([one], Some(Argument { name: None, value })) if arguments.is_empty() => {
                Some(build::binding(&one.name.text, value, *body))
            }
            _ => None,
        }
    }
}

fn is_call(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Call(_) => true,
        ExpressionKind::Member { or_null, .. } => !or_null,
        _ => false,
    }
}

/// Adds the function in braces behind a call: `xs.map { … }`.
fn with_argument(call: Expression, function: Expression) -> Expression {
    match call.kind {
        ExpressionKind::Call(mut call) => {
            call.arguments.push(Argument { name: None, value: function });
            build::node(ExpressionKind::Call(call))
        }
        ExpressionKind::Member { of, name, .. } => method(*of, &name.text, [function]),
        kind => build::node(kind),
    }
}

/// Returns a slice as `drop` and `take`. Bounds must be numbers of the program; `has_end` tells that the last belongs to it.
fn sliced(
    of: Expression,
    from: Option<Expression>,
    to: Option<Expression>,
    has_end: bool,
) -> Option<Expression> {
    let number = |bound: Option<Expression>| match bound.map(|it| it.kind) {
        None => Some(None),
        Some(ExpressionKind::Number(number)) => number.as_i64().map(Some),
        Some(_) => None,
    };
    let (from, to) = (number(from)?.unwrap_or(0), number(to)?);
    let to = match to {
        Some(-1) if has_end => None,
        Some(to) if has_end => Some(to + 1),
        to => to,
    };
    let dropped = |of: Expression, count: i64| match count {
        0 => of,
        count => method(of, "drop", [build::integer(count)]),
    };
    let taken = |of: Expression, count: i64| method(of, "take", [build::integer(count)]);
    Some(match to {
        None if from < 0 => taken(of, from),
        None => dropped(of, from),
        Some(to) if from < 0 && to < 0 && from < to => taken(dropped(of, to), from - to),
        Some(_) if from < 0 => return None,
        Some(to) if to < 0 => dropped(dropped(of, to), from),
        Some(to) => taken(dropped(of, from), (to - from).max(0)),
    })
}
