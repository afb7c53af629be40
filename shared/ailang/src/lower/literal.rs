//! Literals → JSON.

use serde_json::{Map, Value};

use crate::names::{BoundType, Scope, Shape};
use crate::syntax::{Enum, Literal, LiteralKind, Type};
use crate::values::number;

/// Converts the default of a type that stands in `scope`.
pub(super) fn value(literal: &Literal, ty: &Type, scope: Scope<'_, '_>) -> Value {
    match BoundType::new(ty, scope).view().shape {
        Shape::Enum(_, it) => enumerated(literal, it),
        _ => plain(literal),
    }
}

/// Converts a variant in any spelling to its wire value.
fn enumerated(literal: &Literal, it: &Enum) -> Value {
    let name = match &literal.kind {
        LiteralKind::Name(path) => &path.name.text,
        LiteralKind::Text(text) => text,
        _ => return plain(literal),
    };
    let variant = it.variants.iter().find(|variant| variant.name.text == *name);
    match variant.and_then(|variant| variant.value.as_ref()) {
        Some(value) => plain(value),
        None => name.as_str().into(),
    }
}

fn plain(literal: &Literal) -> Value {
    match &literal.kind {
        LiteralKind::Null | LiteralKind::Broken => Value::Null,
        LiteralKind::Bool(value) => (*value).into(),
        LiteralKind::Number(value) => number(*value).map_or(Value::Null, Value::Number),
        LiteralKind::Text(text) => text.as_str().into(),
        LiteralKind::Regex { pattern, flags } => format!("/{pattern}/{flags}").into(),
        LiteralKind::Name(path) => path.name.text.as_str().into(),
        LiteralKind::List(items) => items.iter().map(plain).collect(),
        LiteralKind::Object(fields) => {
            let fields: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.text.clone(), plain(value))).collect();
            fields.into()
        }
    }
}
