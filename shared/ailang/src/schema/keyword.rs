//! Schemas as JSON objects, built keyword by keyword.

use serde_json::{Map, Value};

/// A schema: its keywords with their values.
pub type Schema = Map<String, Value>;

pub(super) fn keyword(name: &str, value: Value) -> Schema {
    with(Schema::new(), name, value)
}

pub(super) fn with(mut schema: Schema, name: &str, value: Value) -> Schema {
    schema.insert(name.to_owned(), value);
    schema
}

pub(super) fn of_type(name: &str) -> Schema {
    keyword("type", name.into())
}
