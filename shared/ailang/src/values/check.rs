//! Checks of values against types.

use std::collections::HashMap;
use std::ptr;

use dialect::{Parameter, Type};
use serde_json::{Map, Value};

use super::Values;
use super::problem::Problem;
use crate::limits::DEEPEST_VALUE;

/// A check of one value.
pub(super) struct Check<'a> {
    values: &'a Values,
    depth: usize,
    /// A cache of the checks of parts against registered types. Recursive types would otherwise repeat them.
    known: HashMap<(*const Value, String), Vec<Problem>>,
}

impl<'a> Check<'a> {
    pub(super) fn new(values: &'a Values) -> Self {
        Self { values, depth: 0, known: HashMap::new() }
    }

    /// Returns all mismatches of a value with a type.
    pub(super) fn problems(&mut self, ty: &Type, value: &Value) -> Vec<Problem> {
        if self.depth > DEEPEST_VALUE {
            return vec![Problem::new(
                "depth",
                format!("at most {DEEPEST_VALUE} values in each other"),
                value,
            )];
        }
        self.depth += 1;
        let problems = self.check(ty, value);
        self.depth -= 1;
        problems
    }

    fn check(&mut self, ty: &Type, value: &Value) -> Vec<Problem> {
        match (ty, value) {
            (Type::Any, _)
            | (Type::Null | Type::Optional(_), Value::Null)
            | (Type::Bool, Value::Bool(_))
            | (Type::Number, Value::Number(_))
            | (Type::Text, Value::String(_))
            | (Type::Object, Value::Object(_)) => Vec::new(),
            (Type::Optional(inner), value) => self.problems(inner, value),
            (Type::Literal(literal), value) if literal.is(value) => Vec::new(),
            (Type::List(inner), Value::Array(items)) => {
                let each = items.iter().enumerate();
                each.flat_map(|(at, item)| self.inside(inner, item, &at.to_string())).collect()
            }
            (Type::Map(inner), Value::Object(fields)) => {
                fields.iter().flat_map(|(key, value)| self.inside(inner, value, key)).collect()
            }
            (Type::Fields(declared), Value::Object(fields)) => self.fields(declared, fields, value),
            (Type::Union(members), value) => self.union(members, ty, value),
            (Type::Refined(inner, _), value) => {
                let problems = self.problems(inner, value);
                if problems.is_empty() { broken(ty, value) } else { problems }
            }
            (Type::Named(name), value) => self.named(name, ty, value),
            (ty, value) => vec![Problem::new("type", ty, value)],
        }
    }

    fn inside(&mut self, ty: &Type, value: &Value, step: &str) -> Vec<Problem> {
        self.problems(ty, value).into_iter().map(|it| it.inside(step)).collect()
    }

    fn named(&mut self, name: &str, ty: &Type, value: &Value) -> Vec<Problem> {
        let values = self.values;
        let behind = match values.behind(name) {
            Some(Type::Fields(_)) if !value.is_object() => return vec![Problem::new("type", ty, value)],
            Some(behind) => behind,
            None => {
                return vec![Problem::new("type", format!("{name}, which no document declares"), value)];
            }
        };
        let key = (ptr::from_ref(value), name.to_owned());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let problems = self.problems(behind, value);
        self.known.insert(key, problems.clone());
        problems
    }

    fn fields(&mut self, declared: &[Parameter], given: &Map<String, Value>, whole: &Value) -> Vec<Problem> {
        let mut problems = Vec::new();
        for field in declared {
            match given.get(&field.name) {
                Some(value) => problems.extend(self.inside(&field.ty, value, &field.name)),
                None if field.optional => {}
                None => {
                    let wanted = format!("the field `{}: {}`", field.name, field.ty);
                    problems.push(Problem::new("required", wanted, whole));
                }
            }
        }
        if !self.values.ignores_unknown {
            let unknown = given.iter().filter(|(key, _)| declared.iter().all(|it| it.name != **key));
            problems.extend(unknown.map(|(key, value)| {
                let known: Vec<&str> = declared.iter().map(|it| it.name.as_str()).collect();
                Problem::new("unknownField", format!("only {}", known.join(", ")), value).inside(key)
            }));
        }
        problems
    }

    /// Returns the mismatches with the only member of a union that the value resembles, or with the whole
    /// union.
    fn union(&mut self, members: &[Type], ty: &Type, value: &Value) -> Vec<Problem> {
        let mut alike = Vec::new();
        for member in members {
            let problems = self.problems(member, value);
            if problems.is_empty() {
                return problems;
            }
            // Problems of parts or of refinements mean that the value has the form of this member.
            if problems.iter().all(|it| it.rule != "type" && it.rule != "required" || !it.pointer.is_empty())
            {
                alike.push(problems);
            }
        }
        if alike.len() == 1 { alike.remove(0) } else { vec![Problem::new("type", ty, value)] }
    }
}

/// Returns the violated refinements.
fn broken(ty: &Type, value: &Value) -> Vec<Problem> {
    let Type::Refined(inner, refinements) = ty else { return Vec::new() };
    let given = dialect::Value::from(value.clone());
    let broken = refinements.iter().filter(|it| !it.holds(&given));
    let problem = |refinement: &dialect::Refinement| {
        let spelled = refinement.to_string();
        let rule = spelled.trim_start_matches('.').split('(').next().unwrap_or_default();
        Problem::new(rule, format!("{inner}{spelled}"), value)
    };
    broken.map(problem).collect()
}
