//! What expressions evaluate to.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Number;

/// Keys in the order in which they were written.
pub type Object = IndexMap<String, Value>;

/// A value at run time.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true`
    Bool(bool),
    /// `3`, `3.0`: keeps its spelling
    Number(Number),
    /// `` `User` ``
    Text(String),
    /// `[1, 2]`
    List(Vec<Value>),
    /// `{path: "src"}`: plain data
    Object(Object),
    /// ``symbol(`User`)``: data of a registered type. Prints as plain data, and as a call in program form.
    Record(Record),
}

/// Data of a registered type.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The type's name as its row spells it: `FileRange`.
    pub type_name: Arc<str>,
    /// Its fields, in the order of the type's declaration; absent optionals are absent.
    pub fields: Object,
}
