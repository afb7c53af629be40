//! Whether a value has the form of a type, without any conversion. Plain objects that have a record's form
//! become that record.

use std::sync::Arc;

use crate::registry::Shape;
use crate::{Object, Record, Registry, Type, Value};

/// The value as one of type `ty`, if it has that form.
pub(crate) fn shape(registry: &Registry, value: &Value, ty: &Type) -> Option<Value> {
    match (ty, value) {
        (Type::Any, _)
        | (Type::Null, Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Number, Value::Number(_))
        | (Type::Text, Value::Text(_))
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
fn record_of(registry: &Registry, shape_of: &Arc<Shape>, given: &Object) -> Option<Value> {
    let mut fields = Object::new();
    for parameter in &shape_of.signature.parameters {
        match given.get(&parameter.name) {
            None | Some(Value::Null) if parameter.optional => {}
            Some(value) => {
                fields.insert(parameter.name.clone(), shape(registry, value, &parameter.ty)?);
            }
            None => return None,
        }
    }
    Some(Value::Record(Record { type_name: shape_of.name.clone(), fields }))
}

/// How many of an object's fields the type does not declare.
pub(crate) fn unknown_fields(shape: &Shape, given: &Object) -> usize {
    let declared = |key: &String| shape.signature.parameters.iter().any(|it| it.name == *key);
    given.keys().filter(|key| !declared(key)).count()
}
