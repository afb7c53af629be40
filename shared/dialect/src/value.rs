//! Values, to which expressions evaluate.

mod rules;
mod shared;
mod size;

use std::cmp::Ordering;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde::ser::{Serialize, Serializer};
use serde_json::Number;

pub use self::shared::Shared;
pub(crate) use self::size::Size;
use crate::{Closure, number};

/// Fields by key, in the order in which they were written.
pub type Object = Shared<Fields>;

pub(crate) type Fields = IndexMap<String, Value, RandomState>;

/// Values in order.
pub type List = Shared<Vec<Value>>;

/// A value at run time. Clones share texts, lists and objects.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// The absence of a value: `null`.
    #[default]
    Null,
    /// `true`
    Bool(bool),
    /// `3`, `3.0`: keeps its spelling
    Number(Number),
    /// `` `User` ``
    Text(Arc<str>),
    /// `[1, 2]`
    List(List),
    /// `{path: "src"}`: plain data
    Object(Object),
    /// ``symbol(`User`)``: data of a registered type. Prints as plain data, and as a call in program form.
    Record(Record),
    /// `x => x.path`: not data. It can be an argument of a library's function, but not the result of a
    /// program.
    Function(Closure),
}

/// Data of a registered type.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The type's name as its row spells it: `FileRange`.
    pub type_name: Arc<str>,
    /// The fields by name, in the order of the type's declaration. Optional fields without a value are
    /// absent.
    pub fields: Object,
}

impl Object {
    /// Makes an object without keys.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Value {
    /// Makes a record of a registered type.
    ///
    /// Fields may be plain data: the result of a callable is checked against its signature, and plain objects
    /// in it become records of the declared types.
    pub fn record(type_name: impl Into<Arc<str>>, fields: Object) -> Self {
        Self::Record(Record { type_name: type_name.into(), fields })
    }

    /// Returns `true` if it is a function, or holds one. Such a value lives only as long as its program's run.
    pub fn holds_function(&self) -> bool {
        match self {
            Self::Function(_) => true,
            Self::List(items) => items.iter().any(Self::holds_function),
            value => value.fields().is_some_and(|fields| fields.values().any(Self::holds_function)),
        }
    }

    /// Returns the value with plain objects in place of records, for programs that know other types.
    #[must_use]
    pub fn plain(&self) -> Self {
        let fields = |fields: &Object| {
            let plain = fields.iter().map(|(name, value)| (name.clone(), value.plain()));
            Self::Object(plain.collect())
        };
        match self {
            Self::List(items) => Self::List(items.iter().map(Self::plain).collect::<Vec<_>>().into()),
            Self::Object(it) => fields(it),
            Self::Record(it) => fields(&it.fields),
            value => value.clone(),
        }
    }

    /// Converts anything that serializes to plain data.
    ///
    /// # Errors
    /// If `data` does not serialize to JSON, such as a map whose keys are not strings.
    pub fn from_serialize(data: &impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::to_value(data).map(Self::from)
    }

    /// Converts anything that serializes to an object to a record of the registered type `type_name`.
    ///
    /// # Errors
    /// If `data` does not serialize to JSON, or not to an object.
    pub fn from_record(
        type_name: impl Into<Arc<str>>,
        data: &impl Serialize,
    ) -> Result<Self, serde_json::Error> {
        match Self::from_serialize(data)? {
            Self::Object(fields) => Ok(Self::record(type_name, fields)),
            other => Err(serde::ser::Error::custom(format!("{} is no object", other.type_name()))),
        }
    }

    /// Reads the value into a Rust type, with records as plain objects. `3.0` reads as the integer 3.
    ///
    /// # Errors
    /// If the value does not have the type's shape.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_value(with_integers(self.to_json()))
    }

    /// Returns the plain data, with records as objects.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(bool) => (*bool).into(),
            Self::Number(number) => serde_json::Value::Number(number.clone()),
            Self::Text(text) => (&**text).into(),
            Self::Function(function) => function.source().into(),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Object(fields) | Self::Record(Record { fields, .. }) => serde_json::Value::Object(
                fields.iter().map(|(key, value)| (key.clone(), value.to_json())).collect(),
            ),
        }
    }

    /// Returns `true` if the values are equal, as `==` defines it: numbers mathematically, records by their
    /// fields.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => number::compare(left, right).is_eq(),
            (Self::List(left), Self::List(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.equals(right))
            }
            (
                Self::Object(left) | Self::Record(Record { fields: left, .. }),
                Self::Object(right) | Self::Record(Record { fields: right, .. }),
            ) => {
                let has = |key: &String, value: &Self| right.get(key).is_some_and(|it| it.equals(value));
                left.len() == right.len() && left.iter().all(|(key, value)| has(key, value))
            }
            _ => self == other,
        }
    }

    /// Compares two values, as `<` does: numbers mathematically, texts by their characters. Other values have
    /// no order.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => Some(number::compare(left, right)),
            (Self::Text(left), Self::Text(right)) => Some(left.cmp(right)),
            _ => None,
        }
    }

    /// Returns the name of the value's type, as signatures spell it: `string`, `List`, `FileRange`.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "List",
            Self::Object(_) => "object",
            Self::Record(record) => &record.type_name,
            Self::Function(_) => "function",
        }
    }

    /// Returns the string, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements, if it is a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the function, if it is one.
    pub fn as_function(&self) -> Option<&Closure> {
        match self {
            Self::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Returns the fields of a plain object or of a record.
    pub fn fields(&self) -> Option<&Object> {
        match self {
            Self::Object(fields) | Self::Record(Record { fields, .. }) => Some(fields),
            _ => None,
        }
    }
}

/// Replaces floats without a fraction by integers, so that `3.0` reads into a `u32`.
fn with_integers(json: serde_json::Value) -> serde_json::Value {
    use serde_json::Value as Json;
    match json {
        Json::Number(number) => Json::Number(integer(&number).unwrap_or(number)),
        Json::Array(items) => items.into_iter().map(with_integers).collect(),
        Json::Object(fields) => {
            Json::Object(fields.into_iter().map(|(key, value)| (key, with_integers(value))).collect())
        }
        other => other,
    }
}

fn integer(number: &Number) -> Option<Number> {
    /// Up to here every integer is a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|_| number.is_f64())?;
    #[expect(clippy::cast_possible_truncation, reason = "within the exact integers")]
    (float.fract() == 0.0 && float.abs() <= EXACT).then(|| Number::from(float as i64))
}

impl From<serde_json::Value> for Value {
    fn from(json: serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(bool) => Self::Bool(bool),
            serde_json::Value::Number(number) => Self::Number(number),
            serde_json::Value::String(text) => Self::Text(text.into()),
            serde_json::Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            serde_json::Value::Object(fields) => {
                Self::Object(fields.into_iter().map(|(key, value)| (key, value.into())).collect())
            }
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(number.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<Vec<Self>> for Value {
    fn from(items: Vec<Self>) -> Self {
        Self::List(items.into())
    }
}

impl From<Object> for Value {
    fn from(fields: Object) -> Self {
        Self::Object(fields)
    }
}

/// As plain data: records as objects.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Function(function) => serializer.serialize_str(function.source()),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) | Self::Record(Record { fields, .. }) => serializer.collect_map(fields),
        }
    }
}
