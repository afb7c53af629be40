//! JSON Schema of types, in its version 2020-12: what a value has to be, for whoever checks it elsewhere.

mod refinement;
mod text;

use std::fmt;

use dialect::{Literal, Parameter, Type};
use serde_json::{Map, Value, json};

use crate::Values;
use crate::values::DEEPEST;
use refinement::refined;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Why a type has no JSON Schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSchema {
    /// It is or has in it a function, which is no data: its type.
    Function(String),
    /// It names a type that no document declares: the name.
    Undeclared(String),
    /// It has more types in each other than values may have.
    TooDeep,
}

impl std::error::Error for NoSchema {}

impl fmt::Display for NoSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function(ty) => {
                write!(f, "`{ty}` is the type of functions, which are no data and have no schema")
            }
            Self::Undeclared(name) => write!(f, "no document declares the type `{name}`"),
            Self::TooDeep => write!(f, "more than {DEEPEST} types are in each other"),
        }
    }
}

impl Values {
    /// The JSON Schema that accepts exactly the values that [`Values::check`] does. Registered types stand in `$defs`
    /// under their names. Patterns are ECMA's, with what others understand alike where there is a choice; defaults are
    /// annotations, as always. What [`Values::of_results`] passes over is passed over by the schema too.
    ///
    /// Of one thing the schema knows nothing: values in each other more deeply than `check` looks.
    ///
    /// ```
    /// let ty = dialect::Type::parse("{name: string.minLength(1), age?: int}").expect("it is a type");
    /// let schema = ailang::Values::default().schema(&ty).expect("it is about data");
    /// assert_eq!(schema["properties"]["name"]["minLength"], 1);
    /// assert_eq!(schema["required"], serde_json::json!(["name"]));
    /// ```
    ///
    /// # Errors
    /// When something in it is no data, or is not declared.
    pub fn schema(&self, ty: &Type) -> Result<Value, NoSchema> {
        let mut writer = Writer { values: self, definitions: Map::new(), depth: 0 };
        let mut whole = Map::from_iter([("$schema".to_owned(), json!(DIALECT))]);
        whole.extend(writer.of(ty)?);
        if !writer.definitions.is_empty() {
            whole.insert("$defs".to_owned(), writer.definitions.into());
        }
        Ok(whole.into())
    }
}

type Schema = Map<String, Value>;

/// One schema as it is written.
struct Writer<'a> {
    values: &'a Values,
    /// The registered types so far. One that is being written is there, so that types may contain themselves.
    definitions: Schema,
    depth: usize,
}

impl Writer<'_> {
    fn of(&mut self, ty: &Type) -> Result<Schema, NoSchema> {
        if self.depth > DEEPEST {
            return Err(NoSchema::TooDeep);
        }
        self.depth += 1;
        let schema = self.look(ty);
        self.depth -= 1;
        schema
    }

    fn look(&mut self, ty: &Type) -> Result<Schema, NoSchema> {
        Ok(match ty {
            Type::Any => Schema::new(),
            Type::Null => of_type("null"),
            Type::Bool => of_type("boolean"),
            Type::Number => of_type("number"),
            Type::Text => of_type("string"),
            Type::Object => of_type("object"),
            Type::Literal(literal) => keyword("const", constant(literal)),
            Type::List(inner) => with(of_type("array"), "items", self.of(inner)?.into()),
            Type::Map(inner) => with(of_type("object"), "additionalProperties", self.of(inner)?.into()),
            Type::Fields(fields) => self.fields(fields)?,
            Type::Optional(inner) => or_null(self.of(inner)?),
            Type::Union(members) => self.union(members)?,
            Type::Refined(inner, refinements) => refined(self.of(inner)?, refinements),
            Type::Named(name) => self.named(name)?,
            Type::Function { .. } => return Err(NoSchema::Function(ty.to_string())),
        })
    }

    fn fields(&mut self, fields: &[Parameter]) -> Result<Schema, NoSchema> {
        let mut properties = Schema::new();
        for field in fields {
            let mut schema = self.of(&field.ty)?;
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
        if !self.values.ignores_unknown() {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
        Ok(schema)
    }

    /// Literals are an `enum`; variants, of which a value is one at most, are told apart by `oneOf`.
    fn union(&mut self, members: &[Type]) -> Result<Schema, NoSchema> {
        if let Some(literals) = literals(members) {
            return Ok(keyword("enum", literals.into()));
        }
        let each: Vec<Value> =
            members.iter().map(|it| Ok(self.of(it)?.into())).collect::<Result<_, NoSchema>>()?;
        let is_one = !self.values.ignores_unknown() && are_variants(members);
        Ok(keyword(if is_one { "oneOf" } else { "anyOf" }, each.into()))
    }

    fn named(&mut self, name: &str) -> Result<Schema, NoSchema> {
        if !self.definitions.contains_key(name) {
            let fields = self.values.fields_of(name).ok_or_else(|| NoSchema::Undeclared(name.to_owned()))?;
            self.definitions.insert(name.to_owned(), Value::Null);
            // Its depth is its own: types that contain themselves have no end, and each is written once.
            let depth = std::mem::take(&mut self.depth);
            let schema = self.fields(fields)?;
            self.depth = depth;
            self.definitions.insert(name.to_owned(), schema.into());
        }
        Ok(keyword("$ref", format!("#/$defs/{}", fragment(name)).into()))
    }
}

/// A name as a part of a JSON Pointer, in a URI.
fn fragment(name: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.replace('~', "~0").replace('/', "~1").bytes().map(byte).collect()
}

fn keyword(name: &str, value: Value) -> Schema {
    with(Schema::new(), name, value)
}

fn with(mut schema: Schema, name: &str, value: Value) -> Schema {
    schema.insert(name.to_owned(), value);
    schema
}

fn of_type(name: &str) -> Schema {
    keyword("type", name.into())
}

fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Bool(value) => (*value).into(),
        Literal::Number(number) => number.clone().into(),
        Literal::Text(text) => text.as_str().into(),
    }
}

/// The values of a union that has nothing but such.
fn literals(members: &[Type]) -> Option<Vec<Value>> {
    let value = |member: &Type| match member {
        Type::Literal(literal) => Some(constant(literal)),
        Type::Null => Some(Value::Null),
        _ => None,
    };
    members.iter().map(value).collect()
}

/// Whether each is an object of one field, and each of another one.
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
        // What else it says is about values of that type alone.
        Some(Value::String(name)) if name != "null" => with(schema, "type", json!([name, "null"])),
        Some(_) => schema,
        None if schema.is_empty() => schema,
        None => keyword("anyOf", json!([schema, {"type": "null"}])),
    }
}
