//! The check of values against types, without conversion. Plain objects in the form of a record become that
//! record.

use crate::name::{is_same_name, nearest};
use crate::registry::{RegisteredType, RegisteredTypes};
use crate::types::Literal;
use crate::value::Fields;
use crate::{Object, Parameter, Record, Type, Value};

/// Returns `true` if the value is one of type `ty` without any change.
pub(crate) fn fits(types: &RegisteredTypes, value: &Value, ty: &Type) -> bool {
    match (ty, value) {
        (Type::Any, _)
        | (Type::Null | Type::Optional(_), Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Number, Value::Number(_))
        | (Type::Text, Value::Text(_))
        | (Type::Object, Value::Object(_) | Value::Record(_)) => true,
        // Only a function without a declared result fits; the results of others are checked.
        (Type::Function { returns, .. }, Value::Function(_)) => **returns == Type::Any,
        (Type::Optional(inner), _) => fits(types, value, inner),
        (Type::Refined(inner, refinements), _) => {
            fits(types, value, inner) && refinements.iter().all(|it| it.holds(value))
        }
        (Type::List(inner), Value::List(items)) => match &**inner {
            Type::Any => true,
            Type::Named(name) => types.get(name).is_some_and(|declared| {
                let each = |items: &Vec<Value>| items.iter().all(|it| is_record(types, it, declared));
                items.has_form(&declared.signature, each)
            }),
            inner => items.iter().all(|it| fits(types, it, inner)),
        },
        (Type::Named(name), value) => {
            types.get(name).is_some_and(|declared| is_record(types, value, declared))
        }
        _ => false,
    }
}

/// Returns `true` if the value is a record of the type, with only its fields, in its order.
fn is_record(types: &RegisteredTypes, value: &Value, declared: &RegisteredType) -> bool {
    let Value::Record(record) = value else { return false };
    let whole = |fields: &Fields| is_whole(types, declared, fields);
    record.type_name == declared.name && record.fields.has_form(&declared.signature, whole)
}

fn is_whole(types: &RegisteredTypes, declared: &RegisteredType, given: &Fields) -> bool {
    let mut rest = given.iter().peekable();
    let mut has = |it: &Parameter| match rest.next_if(|(key, _)| **key == it.name) {
        Some((_, value)) => *value != Value::Null && fits(types, value, &it.ty),
        None => it.optional && it.default.is_none(),
    };
    declared.signature.parameters.iter().all(&mut has) && rest.next().is_none()
}

/// Returns the value as one of type `ty`, or `None` if its form is different.
pub(crate) fn shape(types: &RegisteredTypes, value: &Value, ty: &Type) -> Option<Value> {
    match (types.resolved(ty), value) {
        (Type::Any, _)
        | (Type::Null, Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Number, Value::Number(_))
        | (Type::Text, Value::Text(_))
        | (Type::Function { .. }, Value::Function(_))
        | (Type::Object, Value::Object(_) | Value::Record(_)) => Some(value.clone()),
        (Type::Optional(_), Value::Null) => Some(Value::Null),
        (Type::Optional(inner), _) => shape(types, value, inner),
        (Type::List(inner), Value::List(items)) => {
            items.iter().map(|item| shape(types, item, inner)).collect::<Option<_>>().map(Value::List)
        }
        (Type::Literal(literal), _) => is_literal(value, literal).then(|| value.clone()),
        (Type::Map(inner), _) => {
            let each = value.fields()?.iter();
            let each = each.map(|(key, value)| Some((key.clone(), shape(types, value, inner)?)));
            each.collect::<Option<_>>().map(Value::Object)
        }
        (Type::Fields(declared), _) => {
            let given = value.fields()?;
            let mut fields = given.clone();
            for (name, value) in declared_fields(types, declared, given)? {
                fields.insert(name, value);
            }
            Some(Value::Object(fields))
        }
        (Type::Union(members), _) => exact(types, value, members).into_iter().next(),
        (Type::Refined(inner, refinements), _) => {
            shape(types, value, inner).filter(|value| refinements.iter().all(|it| it.holds(value)))
        }
        (Type::Named(name), Value::Record(record)) if record.type_name == *name => {
            record_of(types, types.get(name)?, &record.fields)
        }
        (Type::Named(name), Value::Object(fields)) => record_of(types, types.get(name)?, fields),
        _ => None,
    }
}

/// Returns the record with the fields that its type declares; others are dropped.
fn record_of(types: &RegisteredTypes, declared: &RegisteredType, given: &Object) -> Option<Value> {
    let fields = declared_fields(types, &declared.signature.parameters, given)?;
    Some(Value::Record(Record { type_name: declared.name.clone(), fields: fields.into_iter().collect() }))
}

/// Returns the declared fields, or `None` if a required one is missing.
fn declared_fields(
    types: &RegisteredTypes,
    declared: &[Parameter],
    given: &Object,
) -> Option<Vec<(String, Value)>> {
    let mut fields = Vec::with_capacity(declared.len());
    for parameter in declared {
        let value = match field(given, &parameter.name) {
            None | Some(Value::Null) if parameter.optional => default(types, parameter),
            given => Some(shape(types, given?, &parameter.ty)?),
        };
        fields.extend(value.map(|value| (parameter.name.clone(), value)));
    }
    Some(fields)
}

/// Returns the default of a parameter or field.
pub(crate) fn default(types: &RegisteredTypes, parameter: &Parameter) -> Option<Value> {
    let value = Value::from(parameter.default.clone()?);
    shape(types, &value, &parameter.ty)
}

/// Returns the value as one of these types, without conversion: as the type that declares the most of its
/// fields, and as `any` only if no other fits. Returns several values if types are equally close.
pub(crate) fn exact(types: &RegisteredTypes, value: &Value, members: &[Type]) -> Vec<Value> {
    let mut best = usize::MAX;
    let mut found: Vec<Value> = Vec::new();
    for member in members {
        let Some(read) = shape(types, value, member) else { continue };
        let unknown = unknown_to(types, value, member);
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

/// Returns how much of a value a type does not declare. Among types that declare as much, a plain object
/// remains plain.
fn unknown_to(types: &RegisteredTypes, value: &Value, ty: &Type) -> usize {
    match (types.resolved(ty), value) {
        (Type::Any, _) => usize::MAX - 1,
        (Type::Object | Type::Map(_), Value::Object(_) | Value::Record(_)) => usize::MAX - 2,
        (Type::Fields(_), Value::Record(_)) => usize::MAX - 3,
        (Type::Fields(declared), Value::Object(fields)) => 2 * undeclared(declared, fields).count(),
        (Type::Named(name), Value::Object(fields)) => {
            types.get(name).map_or(0, |it| 2 * unknown_fields(it, fields) + 1)
        }
        (Type::Optional(inner) | Type::Refined(inner, _), value) => unknown_to(types, value, inner),
        _ => 0,
    }
}

fn undeclared<'a>(declared: &'a [Parameter], given: &'a Object) -> impl Iterator<Item = &'a String> {
    given.keys().filter(|key| declared.iter().all(|it| !is_same_name(&it.name, key)))
}

/// Returns a field that would be ignored by mistake, with the field that it resembles. It resembles an absent
/// optional field, or no field is required, so that any object would fit.
pub(crate) fn stray_field(declared: &[Parameter], given: &Object) -> Option<(String, Option<String>)> {
    if let Some((key, near)) = misspelled_field(declared, given) {
        return Some((key, Some(near)));
    }
    let is_loose = declared.iter().all(|it| it.optional);
    undeclared(declared, given).next().filter(|_| is_loose).map(|key| (key.clone(), None))
}

/// Returns a field that resembles an absent optional one, and the latter.
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
        (Literal::Text(literal), Value::Text(value)) => **literal == **value,
        (Literal::Number(literal), Value::Number(_)) => value.equals(&Value::Number(literal.clone())),
        _ => false,
    }
}

/// Returns the field of exactly that name, or the only one whose folded name is the same.
pub(crate) fn field<'a>(given: &'a Object, name: &str) -> Option<&'a Value> {
    given.get(name).or_else(|| {
        let mut near = given.iter().filter(|(key, _)| is_same_name(key, name));
        near.next().filter(|_| near.next().is_none()).map(|(_, value)| value)
    })
}

/// Counts the fields that the type does not declare.
pub(crate) fn unknown_fields(shape: &RegisteredType, given: &Object) -> usize {
    undeclared(&shape.signature.parameters, given).count()
}
