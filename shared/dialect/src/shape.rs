//! Whether a value has the form of a type, without any conversion. Plain objects that have a record's form
//! become that record.

use crate::flaw::flaws;
use crate::name::{fold, nearest};
use crate::number::equal;
use crate::registry::Shape;
use crate::types::Literal;
use crate::value::Fields;
use crate::{Flaw, Found, Object, Parameter, Record, Registry, Type, Value, Wrong};

/// Whether the value is one of type `ty` as it is.
pub(crate) fn fits(registry: &Registry, value: &Value, ty: &Type) -> bool {
    match (ty, value) {
        (Type::Any, _)
        | (Type::Null | Type::Optional(_), Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Number, Value::Number(_))
        | (Type::Text, Value::Text(_))
        | (Type::Object, Value::Object(_) | Value::Record(_)) => true,
        // Nothing is asked of what such a function gives.
        (Type::Function { returns, .. }, Value::Function(_)) => **returns == Type::Any,
        (Type::Optional(inner), _) => fits(registry, value, inner),
        (Type::Refined(inner, refinements), _) => {
            fits(registry, value, inner) && refinements.iter().all(|it| it.holds(value))
        }
        (Type::List(inner), Value::List(items)) => match &**inner {
            Type::Any => true,
            Type::Named(name) => registry.shape(name).is_some_and(|declared| {
                let each = |items: &Vec<Value>| items.iter().all(|it| is_record(registry, it, declared));
                items.has_form(&declared.signature, each)
            }),
            inner => items.iter().all(|it| fits(registry, it, inner)),
        },
        (Type::Named(name), value) => {
            registry.shape(name).is_some_and(|declared| is_record(registry, value, declared))
        }
        _ => false,
    }
}

/// Whether the value is a record of the type, with its fields and no others, in its order.
fn is_record(registry: &Registry, value: &Value, declared: &Shape) -> bool {
    let Value::Record(record) = value else { return false };
    let whole = |fields: &Fields| is_whole(registry, declared, fields);
    record.type_name == declared.name && record.fields.has_form(&declared.signature, whole)
}

fn is_whole(registry: &Registry, declared: &Shape, given: &Fields) -> bool {
    let mut rest = given.iter().peekable();
    let mut has = |it: &Parameter| match rest.next_if(|(key, _)| **key == it.name) {
        Some((_, value)) => *value != Value::Null && fits(registry, value, &it.ty),
        None => it.optional && it.default.is_none(),
    };
    declared.signature.parameters.iter().all(&mut has) && rest.next().is_none()
}

/// The value as one of type `ty`, if it has that form.
pub(crate) fn shape(registry: &Registry, value: &Value, ty: &Type) -> Option<Value> {
    match (ty, value) {
        (Type::Any, _)
        | (Type::Null, Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Number, Value::Number(_))
        | (Type::Text, Value::Text(_))
        | (Type::Function { .. }, Value::Function(_))
        | (Type::Object, Value::Object(_) | Value::Record(_)) => Some(value.clone()),
        (Type::Optional(_), Value::Null) => Some(Value::Null),
        (Type::Optional(inner), _) => shape(registry, value, inner),
        (Type::List(inner), Value::List(items)) => {
            items.iter().map(|item| shape(registry, item, inner)).collect::<Option<_>>().map(Value::List)
        }
        (Type::Literal(literal), _) => is_literal(value, literal).then(|| value.clone()),
        (Type::Map(inner), _) => {
            let each = value.fields()?.iter();
            let each = each.map(|(key, value)| Some((key.clone(), shape(registry, value, inner)?)));
            each.collect::<Option<_>>().map(Value::Object)
        }
        (Type::Fields(declared), _) => {
            let given = value.fields()?;
            let mut fields = given.clone();
            for (name, value) in declared_fields(registry, declared, given)? {
                fields.insert(name, value);
            }
            Some(Value::Object(fields))
        }
        (Type::Union(members), _) => exact(registry, value, members).into_iter().next(),
        (Type::Refined(inner, refinements), _) => {
            shape(registry, value, inner).filter(|value| refinements.iter().all(|it| it.holds(value)))
        }
        (Type::Named(name), Value::Record(record)) if record.type_name == *name => {
            record_of(registry, registry.shape(name)?, &record.fields)
        }
        (Type::Named(name), Value::Object(fields)) => record_of(registry, registry.shape(name)?, fields),
        _ => None,
    }
}

/// The record with the fields that its type declares; others are left out.
fn record_of(registry: &Registry, declared: &Shape, given: &Object) -> Option<Value> {
    let fields = declared_fields(registry, &declared.signature.parameters, given)?;
    Some(Value::Record(Record { type_name: declared.name.clone(), fields: fields.into_iter().collect() }))
}

/// The fields that are declared, if those that have to be there are.
fn declared_fields(
    registry: &Registry,
    declared: &[Parameter],
    given: &Object,
) -> Option<Vec<(String, Value)>> {
    let mut fields = Vec::with_capacity(declared.len());
    for parameter in declared {
        let value = match field(given, &parameter.name) {
            None | Some(Value::Null) if parameter.optional => default(registry, parameter),
            given => Some(shape(registry, given?, &parameter.ty)?),
        };
        fields.extend(value.map(|value| (parameter.name.clone(), value)));
    }
    Some(fields)
}

/// What a parameter or field is that was left out.
pub(crate) fn default(registry: &Registry, parameter: &Parameter) -> Option<Value> {
    let value = Value::from(parameter.default.clone()?);
    shape(registry, &value, &parameter.ty)
}

/// What a value is as one of these types, without conversion: as the one that knows the most of an object's fields,
/// and as `any` only where it is nothing else. Several, where as many know as much.
pub(crate) fn exact(registry: &Registry, value: &Value, members: &[Type]) -> Vec<Value> {
    let mut best = usize::MAX;
    let mut found: Vec<Value> = Vec::new();
    for member in members {
        let Some(read) = shape(registry, value, member) else { continue };
        let unknown = unknown_to(registry, value, member);
        if unknown < best {
            best = unknown;
            found.clear();
        }
        if unknown == best && !found.contains(&read) {
            found.push(read);
        }
    }
    found
}

/// How much of a value a type does not know. Of types that know as much, a plain object stays plain.
fn unknown_to(registry: &Registry, value: &Value, ty: &Type) -> usize {
    match (ty, value) {
        (Type::Any, _) => usize::MAX - 1,
        (Type::Object | Type::Map(_), Value::Object(_) | Value::Record(_)) => usize::MAX - 2,
        (Type::Fields(_), Value::Record(_)) => usize::MAX - 3,
        (Type::Fields(declared), Value::Object(fields)) => 2 * undeclared(declared, fields).count(),
        (Type::Named(name), Value::Object(fields)) => {
            registry.shape(name).map_or(0, |it| 2 * unknown_fields(it, fields) + 1)
        }
        (Type::Optional(inner) | Type::Refined(inner, _), value) => unknown_to(registry, value, inner),
        _ => 0,
    }
}

fn undeclared<'a>(declared: &'a [Parameter], given: &'a Object) -> impl Iterator<Item = &'a String> {
    given.keys().filter(|key| declared.iter().all(|it| fold(&it.name) != fold(key)))
}

/// A field that hardly was meant to be passed over: one that is like an optional one that is absent, or any where no
/// field is required, since then every object would do. And the field that it is like.
pub(crate) fn stray_field(declared: &[Parameter], given: &Object) -> Option<(String, Option<String>)> {
    if let Some((key, near)) = misspelled_field(declared, given) {
        return Some((key, Some(near)));
    }
    let is_loose = declared.iter().all(|it| it.optional);
    undeclared(declared, given).next().filter(|_| is_loose).map(|key| (key.clone(), None))
}

/// A field that is like an optional one that is absent, and that one.
pub(crate) fn misspelled_field(declared: &[Parameter], given: &Object) -> Option<(String, String)> {
    let absent = declared.iter().filter(|it| it.optional && field(given, &it.name).is_none());
    let absent: Vec<&str> = absent.map(|it| it.name.as_str()).collect();
    undeclared(declared, given).find_map(|key| {
        let near = nearest(key, absent.iter().copied()).first().map(|&name| name.to_owned())?;
        Some((key.clone(), near))
    })
}

pub(crate) fn is_literal(value: &Value, literal: &Literal) -> bool {
    match (literal, value) {
        (Literal::Bool(literal), Value::Bool(value)) => literal == value,
        (Literal::Text(literal), Value::Text(value)) => literal == value,
        (Literal::Number(literal), Value::Number(_)) => equal(value, &Value::Number(literal.clone())),
        _ => false,
    }
}

/// The field of that name; without one of exactly that name, the only one whose name folds to it.
pub(crate) fn field<'a>(given: &'a Object, name: &str) -> Option<&'a Value> {
    given.get(name).or_else(|| {
        let mut near = given.iter().filter(|(key, _)| fold(key) == fold(name));
        near.next().filter(|_| near.next().is_none()).map(|(_, value)| value)
    })
}

/// How many of an object's fields the type does not declare.
pub(crate) fn unknown_fields(shape: &Shape, given: &Object) -> usize {
    undeclared(&shape.signature.parameters, given).count()
}

/// What a value is that is not of type `ty`: for an object, which field is to blame.
pub(crate) fn misfit_of(registry: &Registry, value: &Value, ty: &Type) -> Found {
    let of_type = Found::Type(value.type_name().to_owned());
    let alternatives = ty.alternatives();
    if let Value::Number(_) | Value::Text(_) | Value::Bool(_) = value
        && alternatives.iter().any(|it| matches!(it, Type::Literal(_)))
    {
        return near_literal(registry, value, &alternatives);
    }
    let (declared, given) = match (alternatives.as_slice(), value) {
        ([Type::Named(name)], Value::Object(given)) => match registry.shape(name) {
            Some(declared) => (&declared.signature.parameters, given),
            None => return of_type,
        },
        ([Type::Fields(declared)], Value::Object(given)) => (declared, given),
        _ => return of_type,
    };
    if let ([Type::Fields(_)], Some((field, nearest))) =
        (alternatives.as_slice(), stray_field(declared, given))
    {
        return Found::Stray { field, nearest };
    }
    match flaws(registry, value, ty).as_slice() {
        [] => match misspelled_field(declared, given) {
            Some((field, nearest)) => Found::Stray { field, nearest: Some(nearest) },
            None => of_type,
        },
        [Flaw { pointer, wrong: Wrong::Missing { .. } }] if is_one_step(pointer) => {
            Found::Without { field: pointer[1..].to_owned() }
        }
        [Flaw { pointer, wrong: Wrong::Type { expected, found } }] if is_one_step(pointer) => {
            let (field, expected, found) = (pointer[1..].to_owned(), expected.clone(), found.clone());
            Found::With { field, expected, found }
        }
        parts => Found::Parts(parts.to_vec()),
    }
}

/// Whether a JSON Pointer is to a part of the whole, and its step the name of that.
fn is_one_step(pointer: &str) -> bool {
    pointer.rfind('/') == Some(0) && !pointer.contains('~')
}

/// A value that is none of those that are possible, and the one of them that it is like.
fn near_literal(registry: &Registry, value: &Value, alternatives: &[&Type]) -> Found {
    let literals = alternatives.iter().filter_map(|it| match it {
        Type::Literal(Literal::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    let near = value.as_text().and_then(|text| nearest(text, literals).first().map(|&it| it.to_owned()));
    Found::Other { value: crate::print::print(registry, value), nearest: near }
}
