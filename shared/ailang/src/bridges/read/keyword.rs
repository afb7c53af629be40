//! Keywords of schemas, and places among them.

use serde_json::{Map, Value};

use crate::bridges::node::{literal, ty};
use crate::syntax::{LiteralKind, Type, TypeKind};

/// A JSON object of keywords.
pub(crate) type Keywords = Map<String, Value>;

/// Escapes a key as a step of a JSON Pointer.
pub(crate) fn step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the type of null.
pub(super) fn null() -> Type {
    ty(TypeKind::Literal(literal(LiteralKind::Null)))
}
