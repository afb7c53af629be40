//! Whether a value has the form of a type, without any conversion. Plain objects that have a record's form
//! become that record.

use crate::name::fold;
use crate::registry::Shape;
use crate::{Found, Object, Record, Registry, Type, Value};

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
        (Type::Named(name), Value::Record(record)) if record.type_name == *name => {
            record_of(registry, registry.shape(name)?, &record.fields)
        }
        (Type::Named(name), Value::Object(fields)) => record_of(registry, registry.shape(name)?, fields),
        _ => None,
    }
}

/// The record with the fields that its type declares; others are left out.
fn record_of(registry: &Registry, declared: &Shape, given: &Object) -> Option<Value> {
    let mut fields = Object::new();
    for parameter in &declared.signature.parameters {
        match field(given, &parameter.name) {
            None | Some(Value::Null) if parameter.optional => {}
            Some(value) => {
                fields.insert(parameter.name.clone(), shape(registry, value, &parameter.ty)?);
            }
            None => return None,
        }
    }
    Some(Value::Record(Record { type_name: declared.name.clone(), fields }))
}

/// The field of that name; without one of exactly that name, the only one whose name folds to it.
fn field<'a>(given: &'a Object, name: &str) -> Option<&'a Value> {
    given.get(name).or_else(|| {
        let mut near = given.iter().filter(|(key, _)| fold(key) == fold(name));
        near.next().filter(|_| near.next().is_none()).map(|(_, value)| value)
    })
}

/// How many of an object's fields the type does not declare.
pub(crate) fn unknown_fields(shape: &Shape, given: &Object) -> usize {
    let declared = |key: &String| shape.signature.parameters.iter().any(|it| fold(&it.name) == fold(key));
    given.keys().filter(|key| !declared(key)).count()
}

/// What a value is that is not of type `ty`: for an object, which field is to blame.
pub(crate) fn misfit_of(registry: &Registry, value: &Value, ty: &Type) -> Found {
    let of_type = Found::Type(value.type_name().to_owned());
    let (Type::Named(name), Value::Object(given)) = (ty, value) else { return of_type };
    let Some(declared) = registry.shape(name) else { return of_type };
    for parameter in &declared.signature.parameters {
        match field(given, &parameter.name) {
            None if !parameter.optional => return Found::Without { field: parameter.name.clone() },
            Some(value) if shape(registry, value, &parameter.ty).is_none() => {
                let found = value.type_name().to_owned();
                return Found::With { field: parameter.name.clone(), expected: parameter.ty.clone(), found };
            }
            _ => {}
        }
    }
    of_type
}
