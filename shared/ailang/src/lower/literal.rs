//! Literals → JSON.

use serde_json::{Map, Value, json};

use super::types::payload_name;
use crate::limits::DEEPEST_VALUE;
use crate::names::{BoundType, Scope, Shape};
use crate::syntax::{Enum, Literal, LiteralKind, MemberKind, Name, Payload, Type};
use crate::values::number;

/// The maximum number of members of unions that are looked at for a literal.
const MOST_MEMBERS: usize = 10_000;

/// Converts the default of a type that stands in `scope`.
pub(super) fn value(literal: &Literal, ty: &Type, scope: Scope<'_, '_>) -> Value {
    bound(literal, &BoundType::new(ty, scope))
}

/// Converts a literal to a value of a type: names and texts of variants to what these are on the wire.
fn bound(literal: &Literal, ty: &BoundType<'_, '_>) -> Value {
    match (ty.view().shape, &literal.kind) {
        (Shape::Enum(_, it), _) => enumerated(literal, it).unwrap_or_else(|| plain(literal)),
        (Shape::List(element), LiteralKind::List(items)) => {
            items.iter().map(|it| bound(it, &element)).collect()
        }
        (Shape::Dict(Some((_, value))), LiteralKind::Object(fields)) => {
            object(fields, |_| Some(value.clone()))
        }
        (Shape::Struct(members, home), LiteralKind::Object(fields)) => {
            object(fields, |name| match &members.iter().find(|it| it.name.text == name)?.kind {
                MemberKind::Field { ty, .. } => Some(home.inner(ty)),
                MemberKind::Method { .. } => None,
            })
        }
        (Shape::Union(_) | Shape::Option(_), _) => {
            member(literal, ty, 0, &mut { MOST_MEMBERS }).unwrap_or_else(|| plain(literal))
        }
        _ => plain(literal),
    }
}

fn object<'s, 'a: 's>(fields: &[(Name, Literal)], ty: impl Fn(&str) -> Option<BoundType<'s, 'a>>) -> Value {
    let each = fields.iter().map(|(name, literal)| {
        let value = ty(&name.text).map_or_else(|| plain(literal), |ty| bound(literal, &ty));
        (name.text.clone(), value)
    });
    each.collect::<Map<String, Value>>().into()
}

/// Converts a literal that is a variant of a member of a union.
fn member(literal: &Literal, ty: &BoundType<'_, '_>, depth: usize, left: &mut usize) -> Option<Value> {
    // A type that stands for itself is an error, which is reported elsewhere.
    *left = left.checked_sub(1).filter(|_| depth < DEEPEST_VALUE)?;
    match (ty.view().shape, &literal.kind) {
        (Shape::Enum(_, it), _) => enumerated(literal, it),
        (Shape::Option(inner), _) => match inner.view().shape {
            Shape::Union(_) | Shape::Option(_) => member(literal, &inner, depth + 1, left),
            _ => Some(bound(literal, &inner)),
        },
        (Shape::Union(members), _) => members.iter().find_map(|it| member(literal, it, depth + 1, left)),
        (Shape::Tag(name) | Shape::Variant(name, ..), LiteralKind::Name(path)) => {
            (path.name.text == name).then(|| json!({ name: {} }))
        }
        (Shape::Variant(name, parts, home), LiteralKind::Object(fields)) => match &fields[..] {
            [(given, Literal { kind: LiteralKind::Object(payload), .. })] if given.text == name => {
                let part = |name: &str| {
                    let named = |(at, it): &(usize, &Payload)| match &it.name {
                        Some(it) => it.text == name,
                        None => payload_name(*at) == name,
                    };
                    parts.iter().enumerate().find(named).map(|(_, it)| home.inner(&it.ty))
                };
                Some(json!({ name: object(payload, part) }))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Converts a variant in any spelling to its wire value; `None` if it is none of the enum.
fn enumerated(literal: &Literal, it: &Enum) -> Option<Value> {
    let name = match &literal.kind {
        LiteralKind::Name(path) => &path.name.text,
        LiteralKind::Text(text) => text,
        _ => return None,
    };
    let variant = it.variants.iter().find(|variant| variant.name.text == *name)?;
    Some(variant.value.as_ref().map_or_else(|| name.as_str().into(), plain))
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
