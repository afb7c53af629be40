//! Operators. Only `+` converts an operand: it makes text of the other side of a text.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use source_text::Span;

use super::run::{Env, Evaluated, Run, wrong_operand};
use crate::lex::is_name_part;
use crate::node::Node;
use crate::{Failure, FailureKind, Form, Stop, Value, number};

impl Run {
    /// Evaluates a condition, which must be true or false.
    pub(super) fn condition<'a>(
        self: &'a Arc<Self>,
        node: &'a Node,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a, bool> {
        let embedding = env.embedding().cloned();
        self.node(node, env, depth).and_then(move |value| match value {
            Value::Bool(bool) => Ok(bool),
            found => {
                if let Some(holds) = embedding.and_then(|it| it.holds(&found)) {
                    return Ok(holds);
                }
                let instead = self.presence(&found, self.text(node.span));
                let found = found.type_name().to_owned();
                Err(Failure::at(node.span, FailureKind::NotBoolean { found, instead }).into())
            }
        })
    }

    /// Returns the condition that was probably meant by a value that other languages accept as one.
    fn presence(&self, found: &Value, program: &str) -> String {
        let (operator, nothing) = match found {
            Value::List(_) => (">", "0"),
            Value::Number(_) => ("!=", "0"),
            Value::Text(_) => ("!=", "\"\""),
            _ => ("!=", "null"),
        };
        let is_list = matches!(found, Value::List(_));
        match self.form {
            Form::Json if is_list => {
                format!("{{\"{operator}\": [{{\"field\": [{program}, \"length\"]}}, {nothing}]}}")
            }
            Form::Json => format!("{{\"{operator}\": [{program}, {nothing}]}}"),
            Form::Text => {
                let is_closed =
                    program.ends_with([')', ']', '}', '`', '"']) || program.chars().all(is_name_part);
                let program = if is_closed { program.to_owned() } else { format!("({program})") };
                let member = if is_list { ".length" } else { "" };
                format!("{program}{member} {operator} {nothing}")
            }
        }
    }

    pub(super) fn unary<'a>(
        self: &'a Arc<Self>,
        operator: &'static str,
        of: &'a Node,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        if operator == "!" {
            let in_brackets = |stop| if self.form == Form::Text { in_brackets(stop, of.span) } else { stop };
            return self
                .condition(of, env, depth)
                .map(move |it| it.map(|holds| Value::Bool(!holds)).map_err(in_brackets));
        }
        self.node(of, env, depth).and_then(move |value| match value {
            Value::Number(number) if operator == "+" => Ok(Value::Number(number)),
            Value::Number(number) => number::negate(&number)
                .map(Value::Number)
                .ok_or_else(|| Failure::at(of.span, FailureKind::DoesNotFit).into()),
            found => Err(wrong_operand(operator, "number", &found, of.span)),
        })
    }

    pub(super) fn binary<'a>(
        self: &'a Arc<Self>,
        operator: &'static str,
        left: &'a Node,
        right: &'a Node,
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        match operator {
            "&&" => self.unless(false, left, right, env, depth),
            "||" => self.unless(true, left, right, env, depth),
            "??" if env.embedding().is_some() => {
                Evaluated::later(self.embedded_otherwise(left, right, env.clone(), depth))
            }
            "??" => self.node(left, env, depth).then(env, move |value, env| match value {
                Value::Null => self.node(right, env, depth),
                value => Evaluated::now(Ok(value)),
            }),
            _ => self.both(left, right, env, depth, move |both| {
                self.operate(operator, both, [left.span, right.span], span)
            }),
        }
    }

    /// Evaluates the right condition only if the left one does not equal `decided`.
    fn unless<'a>(
        self: &'a Arc<Self>,
        decided: bool,
        left: &'a Node,
        right: &'a Node,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        let holds = self
            .condition(left, env, depth)
            .map(move |it| it.map_err(|stop| if decided { as_default(stop) } else { stop }));
        let holds = holds.then(env, move |holds, env| match holds == decided {
            true => Evaluated::now(Ok(holds)),
            false => self.condition(right, env, depth),
        });
        holds.and_then(|holds| Ok(Value::Bool(holds)))
    }

    pub(super) fn operate(
        &self,
        operator: &'static str,
        both: [Cow<'_, Value>; 2],
        spans: [Span; 2],
        span: Span,
    ) -> Result<Value, Stop> {
        let [left, right] = [&*both[0], &*both[1]];
        if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=") {
            self.count_comparison(left, right).map_err(|it| it.or_at(span))?;
        }
        match operator {
            "==" => Ok(Value::Bool(left.equals(right))),
            "!=" => Ok(Value::Bool(!left.equals(right))),
            "<" | ">" | "<=" | ">=" => compare(operator, [left, right], spans),
            "+" if matches!(left, Value::Text(_)) || matches!(right, Value::Text(_)) => {
                let length = [left, right].into_iter().filter_map(Value::as_text).map(str::len).sum();
                self.work.check_room(length).map_err(|it| it.or_at(span))?;
                Ok(self.measured(join([left, right], spans)?).map_err(|it| it.or_at(span))?)
            }
            _ => calculate(operator, [left, right], spans, span),
        }
    }
}

/// Returns `true` if the left side can make the right one unnecessary.
pub(super) fn may_skip_right(operator: &str) -> bool {
    matches!(operator, "&&" | "||" | "??")
}

fn compare(operator: &'static str, both: [&Value; 2], spans: [Span; 2]) -> Result<Value, Stop> {
    let ordering = match both.into() {
        (Value::Number(left), Value::Number(right)) => number::compare(left, right),
        (Value::Text(left), Value::Text(right)) => left.cmp(right),
        (Value::Number(_), found) => return Err(wrong_operand(operator, "number", found, spans[1])),
        (Value::Text(_), found) => return Err(wrong_operand(operator, "string", found, spans[1])),
        (found, _) => return Err(wrong_operand(operator, "number", found, spans[0])),
    };
    Ok(Value::Bool(match operator {
        "<" => ordering.is_lt(),
        ">" => ordering.is_gt(),
        "<=" => ordering.is_le(),
        _ => ordering.is_ge(),
    }))
}

/// Joins a text and another value into one text.
fn join([left, right]: [&Value; 2], spans: [Span; 2]) -> Result<Value, Stop> {
    let length = [left, right].into_iter().filter_map(Value::as_text).map(str::len).sum();
    let mut joined = String::with_capacity(length);
    append(&mut joined, left, spans[0])?;
    append(&mut joined, right, spans[1])?;
    Ok(joined.into())
}

fn append(text: &mut String, value: &Value, span: Span) -> Result<(), Stop> {
    match value {
        Value::Text(more) => text.push_str(more),
        Value::Number(number) => write!(text, "{number}").expect("a string takes everything"),
        Value::Bool(bool) => text.push_str(if *bool { "true" } else { "false" }),
        found => return Err(wrong_operand("+", "string", found, span)),
    }
    Ok(())
}

fn calculate(operator: &'static str, both: [&Value; 2], spans: [Span; 2], span: Span) -> Result<Value, Stop> {
    let number = |index: usize| match both[index] {
        Value::Number(number) => Ok(number),
        found => Err(wrong_operand(operator, "number", found, spans[index])),
    };
    let (left, right) = (number(0)?, number(1)?);
    if matches!(operator, "/" | "%") && right.as_f64() == Some(0.0) {
        return Err(Failure::at(span, FailureKind::DividesByZero).into());
    }
    let result = number::calculate(operator, left, right).map(Value::Number);
    result.ok_or_else(|| Failure::at(span, FailureKind::DoesNotFit).into())
}

/// Suggests `??` for a null on the left of `||`, where other languages give the right side.
fn as_default(mut stop: Stop) -> Stop {
    for failure in &mut stop.failures {
        if let FailureKind::NotBoolean { found, instead } = &mut *failure.kind
            && found == "null"
        {
            "… ?? …".clone_into(instead);
        }
    }
    stop
}

/// Puts the suggested condition in brackets, because it binds more loosely than the `!` before it.
fn in_brackets(mut stop: Stop, of: Span) -> Stop {
    for failure in stop.failures.iter_mut().filter(|it| it.span == Some(of)) {
        if let FailureKind::NotBoolean { instead, .. } = &mut *failure.kind {
            *instead = format!("({instead})");
        }
    }
    stop
}
