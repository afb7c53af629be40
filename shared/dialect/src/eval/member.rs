//! Members and elements. A list of one element has the members of that element.

use std::sync::Arc;

use source_text::Span;

use super::run::{Env, Evaluated, Run, wrong_operand};
use crate::name::is_same_name;
use crate::node::Node;
use crate::number::integer;
use crate::quote::quoted;
use crate::{Ambiguity, Candidate, Failure, FailureKind, Form, Stop, Type, Value, explain};

/// The member or element that a value lacks.
pub(super) enum Missing<'a> {
    Member(&'a str),
    Element(&'a Value),
}

impl Run {
    pub(super) fn member<'a>(
        self: &'a Arc<Self>,
        of: &'a Node,
        name: &'a str,
        or_null: bool,
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        if env.embedding().is_some() {
            return self.embedded_member(of, name, or_null, span, env, depth);
        }
        let value = self.node(of, env, depth);
        value.and_then(move |value| self.member_of_value(value, of, name, or_null, span))
    }

    fn member_of_value(
        &self,
        value: Value,
        of: &Node,
        name: &str,
        or_null: bool,
        span: Span,
    ) -> Result<Value, Stop> {
        if let Value::Text(text) = &value {
            self.work.spend(text.len()).map_err(|it| it.or_at(span))?;
        }
        match member_of(&value, name).or_else(|| self.left_out(&value, name)) {
            Some(member) => return Ok(member),
            None if or_null && !matches!(value, Value::List(_)) && !self.is_method(&value, name) => {
                return Ok(Value::Null);
            }
            None => {}
        }
        let place = Span::new(of.span.end, span.end);
        match value {
            Value::List(mut items) if items.len() == 1 => {
                let item = items.remove(0);
                let member = member_of(&item, name).or_else(|| self.left_out(&item, name));
                let is_null = or_null && !self.is_method(&item, name);
                let member = member.or(is_null.then_some(Value::Null));
                member.ok_or_else(|| self.missing_member(&item, name, place))
            }
            Value::List(items) if items.is_empty() => {
                let source = self.text(of.span).to_owned();
                Err(Failure::at(of.span, FailureKind::MemberOfNothing { name: name.to_owned(), source })
                    .into())
            }
            Value::List(items) => Err(self.member_of_which(&items, of, name, span)),
            value => Err(self.missing_member(&value, name, place)),
        }
    }

    /// Returns `true` if the type of a value has that method.
    fn is_method(&self, value: &Value, name: &str) -> bool {
        let Value::Record(record) = value else { return false };
        self.registry.methods(name).iter().any(|it| *it.of == *record.type_name)
    }

    /// Returns the value of an absent optional field: `false` for a boolean, null otherwise.
    fn left_out(&self, value: &Value, name: &str) -> Option<Value> {
        let Value::Record(record) = value else { return None };
        let declared = &self.registry.registered_type(&record.type_name)?.signature.parameters;
        let field = declared.iter().find(|it| it.optional && is_same_name(&it.name, name))?;
        Some(if field.ty == Type::Bool { Value::Bool(false) } else { Value::Null })
    }

    /// Asks about `.field` of a list of several elements: of all of them, or of one. In a lambda the list
    /// differs from call to call, so the first and the last element are offered.
    fn member_of_which(&self, items: &[Value], of: &Node, name: &str, span: Span) -> Stop {
        let mut candidates = Vec::new();
        if self.registry.callable("map").is_some() {
            let program = self.instead_of(span, &self.member_of_each(of, name));
            candidates.push(Candidate { description: explain::each_of_them(items.len()), program });
        }
        let mut offer = |description: String, index: &str| {
            let program = self.instead_of(span, &self.member_of_element(of, index, name));
            candidates.push(Candidate { description, program });
        };
        if of.varies {
            offer(explain::FIRST_OF_EACH.to_owned(), "0");
            offer(explain::LAST_OF_EACH.to_owned(), "-1");
        } else {
            // More are not shown, and each is a copy of the program.
            for (index, item) in items.iter().enumerate().take(explain::CANDIDATES) {
                offer(self.describe(item), &index.to_string());
            }
        }
        let question = explain::which_member(name, items.len());
        Ambiguity::new(question, candidates).expect("a list of several has two elements").into()
    }

    fn instead_of(&self, span: Span, by: &str) -> String {
        format!("{}{by}{}", &self.source[..span.start], &self.source[span.end..])
    }

    fn member_of_each(&self, list: &Node, name: &str) -> String {
        let list = self.text(list.span);
        match self.form {
            Form::Text => format!("{list}.map(x => x.{name})"),
            Form::Json => {
                let field = format!("{{\"field\": [{{\"var\": \"x\"}}, {}]}}", quoted(name));
                format!("{{\"map\": [{list}, {{\"lambda\": {{\"params\": [\"x\"], \"body\": {field}}}}}]}}")
            }
        }
    }

    fn member_of_element(&self, list: &Node, index: &str, name: &str) -> String {
        let list = self.text(list.span);
        match self.form {
            Form::Text => format!("{list}[{index}].{name}"),
            Form::Json => format!("{{\"field\": [{{\"index\": [{list}, {index}]}}, {}]}}", quoted(name)),
        }
    }

    pub(super) fn index<'a>(
        self: &'a Arc<Self>,
        of: &'a Node,
        index: &'a Node,
        span: Span,
        env: &Env,
        depth: usize,
    ) -> Evaluated<'a> {
        if env.embedding().is_some() {
            return self.embedded_index(of, index, span, env, depth);
        }
        self.both(of, index, env, depth, move |[value, at]| {
            // A key is hashed.
            let length = at.as_text().map_or(0, str::len);
            self.work.spend(length).map_err(|it| it.or_at(span))?;
            self.element_of(&value, &at, of.span, index.span, span)
        })
    }

    fn element_of(
        &self,
        value: &Value,
        at: &Value,
        of: Span,
        index: Span,
        span: Span,
    ) -> Result<Value, Stop> {
        let place = Span::new(of.end, span.end);
        match (value, at) {
            (Value::List(items), Value::Number(number)) => {
                let length = items.len();
                let found = integer(number).and_then(|it| position(it, length)).map(|it| items[it].clone());
                found.ok_or_else(|| {
                    let index = number.to_string();
                    Failure::at(place, FailureKind::NoElement { index, length }).into()
                })
            }
            (value, Value::Text(name)) if value.fields().is_some() => {
                let member = value.fields().and_then(|fields| fields.get(&**name)).cloned();
                member.ok_or_else(|| self.missing_member(value, name, place))
            }
            (Value::List(_), found) => Err(wrong_operand("[]", "number", found, index)),
            (value, found) if value.fields().is_some() => Err(wrong_operand("[]", "string", found, index)),
            (found, _) => Err(wrong_operand("[]", "List", found, of)),
        }
    }

    /// Returns the failure for what a value of an embedded expression does not have.
    pub(super) fn missing(&self, missing: Missing<'_>, value: &Value, span: Span) -> Stop {
        match (missing, value) {
            (Missing::Member(name), value) => self.missing_member(value, name, span),
            (Missing::Element(Value::Text(name)), value) if value.fields().is_some() => {
                self.missing_member(value, name, span)
            }
            (Missing::Element(index), value) => {
                let length = value.as_text().map_or(0, |text| text.chars().count());
                let length = value.as_list().map_or(length, <[Value]>::len);
                let index = crate::show_start(index, 60);
                Failure::at(span, FailureKind::NoElement { index, length }).into()
            }
        }
    }

    /// Returns the failure, with the members that there are, or the first of very many.
    fn missing_member(&self, value: &Value, name: &str, span: Span) -> Stop {
        /// The most members among which a similar one is sought.
        const MOST: usize = 1_000;
        let fields = value.fields().map_or(0, |it| it.len()).min(MOST);
        if let Err(failure) = self.count_similar(fields) {
            return failure.or_at(span).into();
        }
        let keys = value.fields().into_iter().flat_map(|it| it.keys().take(MOST).cloned());
        let of = value.type_name();
        let members = keys.chain(self.registry.methods_of(of)).collect();
        Failure::at(span, FailureKind::no_member(name, of.to_owned(), members)).into()
    }
}

/// Returns the position in a list that an index refers to. A negative index counts from the end.
fn position(index: i128, length: usize) -> Option<usize> {
    let from_start = if index < 0 { index.checked_add(i128::try_from(length).ok()?)? } else { index };
    usize::try_from(from_start).ok().filter(|it| *it < length)
}

/// Returns a member. Keys of data match exactly, declared fields by folded name; lists and texts have a
/// length.
fn member_of(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::List(items) if name == "length" => count(items.len()),
        Value::Text(text) if name == "length" => count(text.chars().count()),
        value => field_of(value, name).cloned(),
    }
}

pub(super) fn field_of<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(fields) => fields.get(name),
        Value::Record(record) => {
            let folded = || record.fields.iter().find(|(key, _)| is_same_name(key, name)).map(|(_, it)| it);
            record.fields.get(name).or_else(folded)
        }
        _ => None,
    }
}

fn count(length: usize) -> Option<Value> {
    Some(Value::Number(length.into()))
}
