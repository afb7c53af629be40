//! Values that are written out → JSON.

use serde_json::{Map, Number, Value};

use crate::names::{Bound, Scope, Shape};
use crate::syntax::{Enum, Literal, LiteralKind, Type};

/// The default of a type that stands in `scope`.
pub(super) fn value(literal: &Literal, ty: &Type, scope: Scope<'_, '_>) -> Value {
    match Bound::new(ty, scope).view().shape {
        Shape::Enum(_, it) => enumerated(literal, it),
        _ => plain(literal),
    }
}

/// The value on the wire of a variant, however it is written.
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

/// A whole number without a fraction where it is one; none of what is not finite.
pub(crate) fn number(value: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough to be exact")]
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}
