//! The reasons why a value is not of a type: its wrong parts, and the one to name first.

use source_text::shorten;

use crate::name::nearest;
use crate::print::print_short;
use crate::shape::{field, misspelled_field, shape, stray_field};
use crate::types::Literal;
use crate::{Form, Mismatch, Parameter, Refinement, Registry, Type, TypeError, TypeErrorKind, Value};

/// The most parts of one value that are reported.
const MOST: usize = 20;

/// The most characters of a part that are shown.
const SHOWN: usize = 80;

/// Returns everything that keeps the value from being of the type, in the order of the value; up to twenty.
pub(crate) fn type_errors(registry: &Registry, value: &Value, ty: &Type) -> Vec<TypeError> {
    let mut found = Search { registry, found: Vec::new(), pointer: String::new() };
    found.look(value, ty);
    found.found
}

struct Search<'a> {
    registry: &'a Registry,
    found: Vec<TypeError>,
    /// The JSON Pointer of the current part.
    pointer: String,
}

impl Search<'_> {
    fn look(&mut self, value: &Value, ty: &Type) {
        if self.found.len() >= MOST || shape(self.registry.types(), value, ty).is_some() {
            return;
        }
        let registry = self.registry;
        match (registry.types().resolved(ty), value) {
            (Type::Optional(inner), _) => self.look(value, inner),
            (Type::Refined(inner, rules), _) => match shape(self.registry.types(), value, inner) {
                Some(value) => self.rules(&value, rules),
                None => self.look(value, inner),
            },
            (Type::List(inner), Value::List(items)) => {
                for (at, item) in items.iter().enumerate() {
                    self.inside(&at.to_string(), |it| it.look(item, inner));
                }
            }
            (Type::Map(inner), Value::Object(fields)) => {
                for (key, value) in fields {
                    self.inside(key, |it| it.look(value, inner));
                }
            }
            (Type::Fields(declared), _) => self.fields(value, declared, ty),
            (Type::Named(name), Value::Object(_)) => match self.registry.types().get(name).cloned() {
                Some(declared) => self.fields(value, &declared.signature.parameters, ty),
                None => self.other(value, ty),
            },
            (Type::Union(members), _) => self.union(value, members, ty),
            _ => self.other(value, ty),
        }
    }

    fn add(&mut self, kind: TypeErrorKind) {
        if self.found.len() < MOST {
            self.found.push(TypeError { pointer: self.pointer.clone(), kind });
        }
    }

    fn other(&mut self, value: &Value, ty: &Type) {
        self.add(TypeErrorKind::Type { expected: ty.clone(), found: value.type_name().to_owned() });
    }

    fn inside(&mut self, step: &str, look: impl FnOnce(&mut Self)) {
        let before = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        look(self);
        self.pointer.truncate(before);
    }

    fn rules(&mut self, value: &Value, rules: &[Refinement]) {
        let text = printed(self.registry, value);
        let text = shorten(&text, SHOWN).into_owned();
        for refinement in rules.iter().filter(|it| !it.holds(value)) {
            self.add(TypeErrorKind::Rule { refinement: refinement.clone(), value: text.clone() });
        }
    }

    fn fields(&mut self, value: &Value, declared: &[Parameter], ty: &Type) {
        let Some(given) = value.fields() else { return self.other(value, ty) };
        for parameter in declared {
            let expected = &parameter.ty;
            self.inside(&parameter.name, |it| match field(given, &parameter.name) {
                None | Some(Value::Null) if parameter.optional => {}
                None => it.add(TypeErrorKind::Missing { expected: expected.clone() }),
                Some(value) => it.look(value, expected),
            });
        }
    }

    /// Reports the errors of the only member that the value resembles. If there is no such member, reports
    /// that the value is none of them.
    fn union(&mut self, value: &Value, members: &[Type], ty: &Type) {
        let each = members.iter().map(|member| type_errors(self.registry, value, member));
        let is_alike = |it: &Vec<TypeError>| {
            it.iter().all(|it| !it.pointer.is_empty() || matches!(it.kind, TypeErrorKind::Rule { .. }))
        };
        let mut alike: Vec<Vec<TypeError>> = each.filter(is_alike).collect();
        if alike.len() != 1 {
            return self.other(value, ty);
        }
        for TypeError { pointer, kind } in alike.remove(0) {
            let before = self.pointer.len();
            self.pointer.push_str(&pointer);
            self.add(kind);
            self.pointer.truncate(before);
        }
    }
}

/// The maximum number of characters of a text that a message quotes.
const QUOTED: usize = 200;

/// Returns the way in which a value differs from type `ty`; for an object, the field to blame.
pub(crate) fn mismatch(registry: &Registry, value: &Value, ty: &Type) -> Mismatch {
    let of_type = Mismatch::Type(value.type_name().to_owned());
    if let (Type::Number, Value::Text(text)) = (ty, value) {
        return Mismatch::Other { value: crate::quote::quoted(&shorten(text, QUOTED)), nearest: None };
    }
    let alternatives = registry.types().alternatives(ty);
    if let Value::Number(_) | Value::Text(_) | Value::Bool(_) = value
        && alternatives.iter().any(|it| matches!(it, Type::Literal(_)))
    {
        return near_literal(registry, value, &alternatives);
    }
    let (declared, given) = match (alternatives.as_slice(), value) {
        ([Type::Named(name)], Value::Object(given)) => match registry.types().get(name) {
            Some(declared) => (&declared.signature.parameters, given),
            None => return of_type,
        },
        ([Type::Fields(declared)], Value::Object(given)) => (declared, given),
        _ => return of_type,
    };
    if let ([Type::Fields(_)], Some((field, nearest))) =
        (alternatives.as_slice(), stray_field(declared, given))
    {
        return Mismatch::Stray { field, nearest };
    }
    match type_errors(registry, value, ty).as_slice() {
        [] => match misspelled_field(declared, given) {
            Some((field, nearest)) => Mismatch::Stray { field, nearest: Some(nearest) },
            None => of_type,
        },
        [TypeError { pointer, kind: TypeErrorKind::Missing { .. } }] if is_one_step(pointer) => {
            Mismatch::Without { field: pointer[1..].to_owned() }
        }
        [TypeError { pointer, kind: TypeErrorKind::Type { expected, found } }] if is_one_step(pointer) => {
            let (field, expected, found) = (pointer[1..].to_owned(), expected.clone(), found.clone());
            Mismatch::With { field, expected, found }
        }
        parts => Mismatch::Parts(parts.to_vec()),
    }
}

/// Returns `true` if a JSON Pointer has one step, which is a plain name.
fn is_one_step(pointer: &str) -> bool {
    pointer.rfind('/') == Some(0) && !pointer.contains('~')
}

/// Returns the mismatch of a value that is none of the literals, with the one that it resembles.
fn near_literal(registry: &Registry, value: &Value, alternatives: &[&Type]) -> Mismatch {
    let literals = alternatives.iter().filter_map(|it| match it {
        Type::Literal(Literal::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    let near = value.as_text().and_then(|text| nearest(text, literals).first().map(|&it| it.to_owned()));
    Mismatch::Other { value: printed(registry, value), nearest: near }
}

/// Returns the value for a sentence about it; a huge one as an ellipsis.
fn printed(registry: &Registry, value: &Value) -> String {
    print_short(Form::Text, registry, value).unwrap_or_else(|| "…".to_owned())
}
