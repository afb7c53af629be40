//! JSON Schema (2020-12) of types, for checks elsewhere.

mod keyword;
mod refinement;
pub mod text;

use std::fmt;

use dialect::{Literal, Parameter, Type};
use indexmap::IndexSet;
pub use keyword::Schema;
use keyword::{keyword, of_type, with};
use refinement::refined;
pub use refinement::{is_exact, step_of};
use serde_json::{Map, Value, json};

use crate::Values;
use crate::limits::DEEPEST_VALUE;

/// The dialect of JSON Schema, as `$schema` names it.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The largest integer below which floats are exact.
pub const LARGEST_INTEGER: i64 = (1 << 53) - 1;

/// The reason for which a type has no JSON Schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaError {
    /// The type is or contains a function, which is no data: the type of the function.
    Function(String),
    /// The type names one that no document declares: the name.
    Undeclared(String),
    /// The type nests deeper than values may.
    TooDeep,
}

impl std::error::Error for SchemaError {}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function(ty) => {
                write!(f, "`{ty}` is the type of functions, which are no data and have no schema")
            }
            Self::Undeclared(name) => write!(f, "no document declares the type `{name}`"),
            Self::TooDeep => write!(f, "more than {DEEPEST_VALUE} types are in each other"),
        }
    }
}

impl Values {
    /// Returns the JSON Schema that accepts exactly the values that [`Values::check`] accepts.
    ///
    /// Registered types are in `$defs` under their names. Patterns use ECMAScript's syntax, restricted to a
    /// portable subset where possible, and defaults are annotations. [`Values::ignoring_unknown_fields`]
    /// allows additional properties. The schema does not limit the nesting of values, unlike `check`.
    ///
    /// ```
    /// let ty = dialect::Type::parse("{name: string.minLength(1), age?: int}").expect("it is a type");
    /// let schema = ailang::Values::default().schema(&ty).expect("it is about data");
    /// assert_eq!(schema["properties"]["name"]["minLength"], 1);
    /// assert_eq!(schema["required"], serde_json::json!(["name"]));
    /// ```
    ///
    /// # Errors
    /// When a part of the type is no data, is not declared, or nests too deeply.
    pub fn schema(&self, ty: &Type) -> Result<Value, SchemaError> {
        let definition = |name: &str| self.behind(name).cloned();
        let mut writer = Writer::new(&definition, self.ignores_unknown());
        let mut whole = Map::from_iter([("$schema".to_owned(), json!(DIALECT))]);
        whole.extend(writer.schema(ty)?);
        let definitions = writer.definitions()?;
        if !definitions.is_empty() {
            whole.insert("$defs".to_owned(), definitions.into());
        }
        Ok(whole.into())
    }
}

/// A writer of schemas with common definitions.
pub struct Writer<'a> {
    /// Returns the type behind a name.
    definition: &'a dyn Fn(&str) -> Option<Type>,
    ignores_unknown: bool,
    /// `false` to leave refinements out.
    pub refines: bool,
    /// The start of references to names: `#/$defs/`.
    pub references: &'static str,
    /// The names so far; their schemas are written last, so that types may contain themselves.
    named: IndexSet<String>,
    depth: usize,
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("named", &self.named).finish_non_exhaustive()
    }
}

impl<'a> Writer<'a> {
    /// Starts a schema. `definition` returns the type behind a name, and `ignores_unknown` allows additional
    /// properties.
    pub fn new(definition: &'a dyn Fn(&str) -> Option<Type>, ignores_unknown: bool) -> Self {
        Self {
            definition,
            ignores_unknown,
            refines: true,
            references: "#/$defs/",
            named: IndexSet::new(),
            depth: 0,
        }
    }

    /// Returns the schemas of all names so far, and of those in them.
    ///
    /// # Errors
    /// When a part of a type is no data, is not declared, or nests too deeply.
    pub fn definitions(&mut self) -> Result<Schema, SchemaError> {
        let mut definitions = Schema::new();
        while let Some(name) = self.named.get_index(definitions.len()).cloned() {
            let ty = (self.definition)(&name).ok_or_else(|| SchemaError::Undeclared(name.clone()))?;
            definitions.insert(name, self.schema(&ty)?.into());
        }
        Ok(definitions)
    }

    /// Returns the schema of a type. Adds the types that it names to the definitions.
    ///
    /// # Errors
    /// When a part of the type is no data, or nests too deeply.
    pub fn schema(&mut self, ty: &Type) -> Result<Schema, SchemaError> {
        if self.depth > DEEPEST_VALUE {
            return Err(SchemaError::TooDeep);
        }
        self.depth += 1;
        let schema = self.keywords(ty);
        self.depth -= 1;
        schema
    }

    fn keywords(&mut self, ty: &Type) -> Result<Schema, SchemaError> {
        Ok(match ty {
            Type::Any => Schema::new(),
            Type::Null => of_type("null"),
            Type::Bool => of_type("boolean"),
            Type::Number => of_type("number"),
            Type::Text => of_type("string"),
            Type::Object => of_type("object"),
            Type::Literal(literal) => keyword("const", constant(literal)),
            Type::List(inner) => with(of_type("array"), "items", self.schema(inner)?.into()),
            Type::Map(inner) => with(of_type("object"), "additionalProperties", self.schema(inner)?.into()),
            Type::Fields(fields) => self.fields(fields)?,
            Type::Optional(inner) => or_null(self.schema(inner)?),
            Type::Union(members) => self.union(members)?,
            Type::Refined(inner, _) if !self.refines => self.schema(inner)?,
            Type::Refined(inner, refinements) => refined(self.schema(inner)?, refinements),
            Type::Named(name) => self.reference(name),
            Type::Function { .. } => return Err(SchemaError::Function(ty.to_string())),
        })
    }

    fn fields(&mut self, fields: &[Parameter]) -> Result<Schema, SchemaError> {
        let mut properties = Schema::new();
        for field in fields {
            let mut schema = self.schema(&field.ty)?;
            if let Some(default) = &field.default {
                schema.insert("default".to_owned(), default.clone());
            }
            properties.insert(field.name.clone(), schema.into());
        }
        let mut schema = with(of_type("object"), "properties", properties.into());
        let required: Vec<&str> =
            fields.iter().filter(|it| !it.optional).map(|it| it.name.as_str()).collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        if !self.ignores_unknown {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
        Ok(schema)
    }

    /// Writes literals as `enum`, variants as `oneOf`, and other unions as `anyOf`.
    fn union(&mut self, members: &[Type]) -> Result<Schema, SchemaError> {
        if let Some(literals) = literals(members) {
            return Ok(keyword("enum", literals.into()));
        }
        let each: Vec<Value> =
            members.iter().map(|it| Ok(self.schema(it)?.into())).collect::<Result<_, SchemaError>>()?;
        let is_one = !self.ignores_unknown && are_variants(members);
        Ok(keyword(if is_one { "oneOf" } else { "anyOf" }, each.into()))
    }

    fn reference(&mut self, name: &str) -> Schema {
        if !self.named.contains(name) {
            self.named.insert(name.to_owned());
        }
        keyword("$ref", format!("{}{}", self.references, fragment(name)).into())
    }
}

/// Encodes a name as a segment of a JSON Pointer in a URI.
fn fragment(name: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.replace('~', "~0").replace('/', "~1").bytes().map(byte).collect()
}

fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Bool(value) => (*value).into(),
        Literal::Number(number) => number.clone().into(),
        Literal::Text(text) => text.as_str().into(),
    }
}

/// Returns the values of a union of literals; `None` for any other union.
fn literals(members: &[Type]) -> Option<Vec<Value>> {
    let value = |member: &Type| match member {
        Type::Literal(literal) => Some(constant(literal)),
        Type::Null => Some(Value::Null),
        _ => None,
    };
    members.iter().map(value).collect()
}

/// Returns `true` if each member is an object of one field, and all names differ.
fn are_variants(members: &[Type]) -> bool {
    let name = |member: &Type| match member {
        Type::Fields(fields) => match fields.as_slice() {
            [field] if !field.optional => Some(field.name.clone()),
            _ => None,
        },
        _ => None,
    };
    let names: Option<Vec<String>> = members.iter().map(name).collect();
    names.is_some_and(|names| names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)))
}

fn or_null(mut schema: Schema) -> Schema {
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|it| !it.is_null());
        values.push(Value::Null);
        return schema;
    }
    match schema.get("type").cloned() {
        // The other keywords apply only to values of that type.
        Some(Value::String(name)) if name != "null" => with(schema, "type", json!([name, "null"])),
        Some(_) => schema,
        None if schema.is_empty() => schema,
        None => keyword("anyOf", json!([schema, {"type": "null"}])),
    }
}
