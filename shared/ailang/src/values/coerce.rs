//! Obvious coercions of values.

use std::collections::HashSet;

use dialect::{Literal, Parameter, Type};
use serde_json::{Map, Value};

use super::Values;
use super::check::Check;
use super::problem::Problem;
use crate::limits::DEEPEST_VALUE;

/// The maximum number of attempted coercions of parts of a value.
const MOST_TRIES: usize = 20_000;

/// A coerced value with its changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Coerced {
    /// The value.
    pub value: Value,
    /// The changes; empty for a value that fitted already.
    pub changes: Vec<Coercion>,
}

/// A changed part of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Coercion {
    /// The place as a JSON Pointer into the original value (RFC 6901).
    pub pointer: String,
    /// The original part.
    pub from: Value,
    /// The replacement; null also for a dropped field.
    pub to: Value,
}

impl Coerced {
    fn changed(from: &Value, to: Value) -> Self {
        let change = Coercion { pointer: String::new(), from: from.clone(), to: to.clone() };
        Self { value: to, changes: vec![change] }
    }

    fn inside(self, step: &str, changes: &mut Vec<Coercion>) -> Value {
        changes.extend(self.changes.into_iter().map(|it| {
            let step = step.replace('~', "~0").replace('/', "~1");
            Coercion { pointer: format!("/{step}{}", it.pointer), ..it }
        }));
        self.value
    }
}

/// A coercion of one value.
pub(super) struct Coerce<'a> {
    values: &'a Values,
    tries: usize,
    depth: usize,
}

impl<'a> Coerce<'a> {
    pub(super) fn new(values: &'a Values) -> Self {
        Self { values, tries: 0, depth: 0 }
    }

    /// Coerces a value, and checks the result.
    pub(super) fn coerced(&mut self, ty: &Type, value: &Value) -> Result<Coerced, Vec<Problem>> {
        let problems = self.problems(ty, value);
        if problems.is_empty() {
            return Ok(Coerced { value: value.clone(), changes: Vec::new() });
        }
        self.tries += 1;
        if self.tries > MOST_TRIES || self.depth > DEEPEST_VALUE {
            return Err(problems);
        }
        self.depth += 1;
        let made = self.convert(ty, value);
        self.depth -= 1;
        let made = made?.ok_or(problems)?;
        match self.problems(ty, &made.value) {
            left if left.is_empty() => Ok(made),
            left => Err(left),
        }
    }

    fn problems(&self, ty: &Type, value: &Value) -> Vec<Problem> {
        Check::new(self.values).problems(ty, value)
    }

    /// Coerces a value that does not fit; `None` if there is no way.
    fn convert(&mut self, ty: &Type, value: &Value) -> Result<Option<Coerced>, Vec<Problem>> {
        match (ty, value) {
            (Type::Optional(inner) | Type::Refined(inner, _), value) => self.coerced(inner, value).map(Some),
            (Type::Union(members), value) => self.union(members, ty, value),
            (Type::List(inner), Value::Array(items)) => {
                let mut parts = Parts::default();
                let each = items.iter().enumerate();
                let each = each.map(|(at, item)| parts.add(&at.to_string(), item, self.coerced(inner, item)));
                let value = each.collect::<Vec<Value>>().into();
                self.whole(ty, value, parts)
            }
            (Type::List(inner), value) if **inner != Type::Any && !value.is_null() => {
                let Coerced { value: only, .. } = self.coerced(inner, value)?;
                Ok(Some(Coerced::changed(value, Value::Array(vec![only]))))
            }
            (Type::Map(inner), Value::Object(fields)) => self.fields(ty, fields, |_| Some(inner), |_| false),
            (Type::Fields(declared), Value::Object(fields)) => self.declared(ty, declared, fields),
            (Type::Named(name), value) => match (self.values.behind(name), value) {
                (Some(Type::Fields(declared)), Value::Object(fields)) => self.declared(ty, declared, fields),
                (None | Some(Type::Fields(_)), _) => Ok(None),
                (Some(behind), value) => self.coerced(behind, value).map(Some),
            },
            (ty, value) => Ok(scalar(ty, value).map(|it| Coerced::changed(value, it))),
        }
    }

    fn declared(
        &mut self,
        whole: &Type,
        declared: &[Parameter],
        given: &Map<String, Value>,
    ) -> Result<Option<Coerced>, Vec<Problem>> {
        let find = |key: &str| declared.iter().find(|it| it.name == key);
        let is_absent = |key: &str| find(key).is_some_and(|it| it.optional);
        self.fields(whole, given, |key| find(key).map(|it| &it.ty), is_absent)
    }

    /// Coerces each field with a known type. A null that does not fit an optional field is dropped.
    fn fields<'t>(
        &mut self,
        whole: &Type,
        given: &Map<String, Value>,
        ty: impl Fn(&str) -> Option<&'t Type>,
        is_absent: impl Fn(&str) -> bool,
    ) -> Result<Option<Coerced>, Vec<Problem>> {
        let (mut fields, mut parts) = (Map::new(), Parts::default());
        for (key, value) in given {
            let Some(ty) = ty(key) else {
                fields.insert(key.clone(), value.clone());
                continue;
            };
            if value.is_null() && is_absent(key) && !self.problems(ty, value).is_empty() {
                Coerced::changed(value, Value::Null).inside(key, &mut parts.changes);
                continue;
            }
            fields.insert(key.clone(), parts.add(key, value, self.coerced(ty, value)));
        }
        self.whole(whole, fields.into(), parts)
    }

    /// Combines coerced parts; returns all mismatches if some do not fit.
    fn whole(&self, ty: &Type, value: Value, parts: Parts) -> Result<Option<Coerced>, Vec<Problem>> {
        let Parts { changes, problems: mut all } = parts;
        if all.is_empty() {
            return Ok(Some(Coerced { value, changes }));
        }
        let reported: HashSet<String> = all.iter().filter_map(step).collect();
        let others = self.problems(ty, &value).into_iter();
        all.extend(others.filter(|it| step(it).is_none_or(|it| !reported.contains(&it))));
        Err(all)
    }

    /// Coerces to the only possible member of a union; several different results are ambiguous.
    fn union(&mut self, members: &[Type], ty: &Type, value: &Value) -> Result<Option<Coerced>, Vec<Problem>> {
        let mut made: Vec<Coerced> = Vec::new();
        for member in members {
            match self.coerced(member, value) {
                Ok(it) if made.iter().any(|other| other.value == it.value) => {}
                Ok(it) => made.push(it),
                Err(_) => {}
            }
        }
        if made.len() > 1 {
            return Err(vec![Problem::new("ambiguous", format!("one reading as {ty}"), value)]);
        }
        Ok(made.pop())
    }
}

/// The coerced parts of a value.
#[derive(Default)]
struct Parts {
    changes: Vec<Coercion>,
    problems: Vec<Problem>,
}

impl Parts {
    /// Adds a coerced part; one that does not fit stays unchanged.
    fn add(&mut self, step: &str, given: &Value, made: Result<Coerced, Vec<Problem>>) -> Value {
        match made {
            Ok(made) => made.inside(step, &mut self.changes),
            Err(problems) => {
                self.problems.extend(problems.into_iter().map(|it| it.inside(step)));
                given.clone()
            }
        }
    }
}

/// Returns the first segment of the problem's place.
fn step(problem: &Problem) -> Option<String> {
    problem.pointer.split('/').nth(1).map(str::to_owned)
}

fn scalar(ty: &Type, value: &Value) -> Option<Value> {
    match (ty, value) {
        (Type::Number, Value::String(text)) => number(text),
        (Type::Text, Value::Number(number)) => Some(number.to_string().into()),
        (Type::Bool, Value::Number(number)) if number.as_f64() == Some(0.0) => Some(false.into()),
        (Type::Bool, Value::Number(number)) if number.as_f64() == Some(1.0) => Some(true.into()),
        (Type::Bool, Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true.into()),
            "false" | "0" => Some(false.into()),
            _ => None,
        },
        (Type::Literal(Literal::Text(literal)), Value::String(text)) => {
            let is_it = literal.to_lowercase() == text.trim().to_lowercase();
            is_it.then(|| literal.as_str().into())
        }
        (Type::Literal(literal @ Literal::Number(_)), Value::String(text)) => {
            number(text).filter(|it| same(literal, it))
        }
        (Type::Literal(literal @ Literal::Bool(_)), value) => {
            scalar(&Type::Bool, value).filter(|it| same(literal, it))
        }
        _ => None,
    }
}

/// Parses a text that is a JSON number.
fn number(text: &str) -> Option<Value> {
    serde_json::from_str::<serde_json::Number>(text.trim()).ok().map(Value::Number)
}

fn same(literal: &Literal, value: &Value) -> bool {
    literal.is(value)
}
