//! Keywords of schemas, and places among them.

use ailang::syntax::{LiteralKind, Type, TypeKind};
use serde_json::{Map, Value};

use crate::bridges::node::{literal, ty};

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

/// Returns the kind of values that a keyword has, if this one is of another kind.
pub(super) fn wrong_kind(key: &str, value: &Value, is_old: bool) -> Option<&'static str> {
    let (fits, kind) = match key {
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minimum" | "maximum" | "multipleOf" => (value.is_number(), "number"),
        "exclusiveMinimum" | "exclusiveMaximum" => {
            (value.is_number() || is_old && value.is_boolean(), "number")
        }
        "pattern" | "format" | "description" | "title" | "$ref" | "$schema" | "$id" => {
            (value.is_string(), "text")
        }
        "uniqueItems" | "deprecated" | "nullable" | "readOnly" | "writeOnly" => {
            (value.is_boolean(), "boolean")
        }
        "required" => (value.as_array().is_some_and(|it| it.iter().all(Value::is_string)), "list of texts"),
        "type" => (
            value.is_string() || value.as_array().is_some_and(|it| it.iter().all(Value::is_string)),
            "name of a type",
        ),
        "enum" | "anyOf" | "oneOf" | "allOf" => (value.is_array(), "list"),
        "properties" | "$defs" | "definitions" => (value.is_object(), "object"),
        _ => (true, ""),
    };
    (!fits).then_some(kind)
}
