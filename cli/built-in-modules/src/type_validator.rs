//! `TypeValidator`: types that programs describe as data.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ailang::{Methods, check_value};
use dialect::{Failure, Interrupt, Invocation, Literal, Object, Parameter, Refinement, Type, Value};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde_json::{Value as Json, json};
use unpoisoned::lock;

use crate::call::Call;

/// The most types inside of each other, the most parts of one, and the most defined types.
const DEEPEST: usize = 60;
const LARGEST: usize = 4_000;
const MOST_TYPES: usize = 1_000;

/// Makes a validator.
pub(crate) fn make(call: &Call) -> Result<Value, Failure> {
    Ok(TypeValidator::default().into_value(call))
}

/// A validator with its defined types. A clone is the same validator.
#[derive(Clone, Default)]
pub(crate) struct TypeValidator(Arc<Mutex<HashMap<String, Type>>>);

impl TypeValidator {
    /// Returns the validator as a value of the program.
    pub(crate) fn into_value(self, call: &Call) -> Value {
        let methods: Arc<dyn Methods> = Arc::new(self);
        call.run.object("TypeValidator", Object::new(), &methods, &call.invocation)
    }

    fn called(&self, method: &str, invocation: &Invocation) -> Result<Value, Failure> {
        let description = invocation.arguments.get("type").unwrap_or(&Value::Null);
        let ty = match description.as_text() {
            Some(name) => self.named(name),
            None => self.read(&description.to_json()),
        };
        let ty = ty.map_err(|reason| Failure::raised("ValidationError", reason))?;
        if method == "defineType" {
            let name = description.to_json()["name"].as_str().map(str::to_owned);
            let Some(name) = name else {
                return Err(Failure::raised("ValidationError", "a type is defined with a `name`"));
            };
            let mut types = lock(&self.0);
            if types.len() >= MOST_TYPES && !types.contains_key(&name) {
                return Err(Failure::raised(
                    "ValidationError",
                    format!("more than {MOST_TYPES} types are defined"),
                ));
            }
            types.insert(name, ty);
            return Ok(description.clone());
        }
        let value = invocation.arguments.get("value").map(Value::to_json).unwrap_or_default();
        let problems = check_value(&ty, &value).err().unwrap_or_default();
        let errors: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Ok(json!({"isValid": errors.is_empty(), "errors": errors}).into())
    }

    fn read(&self, description: &Json) -> Result<Type, String> {
        let ty = self.ty(description, 0)?;
        if size(&ty) > LARGEST { Err("the type is too large".to_owned()) } else { Ok(ty) }
    }

    fn named(&self, name: &str) -> Result<Type, String> {
        let types = lock(&self.0);
        types.get(name).cloned().ok_or_else(|| {
            let mut known: Vec<&str> = types.keys().map(String::as_str).collect();
            known.sort_unstable();
            let known = if known.is_empty() { "no type is defined".to_owned() } else { known.join(", ") };
            format!("there is no type `{name}`: string, number, bool, int, any, struct, List, Dict, choice; {known}")
        })
    }

    /// Returns the type that an object describes, or the name of one.
    fn ty(&self, description: &Json, depth: usize) -> Result<Type, String> {
        if depth > DEEPEST {
            return Err("the type is nested too deeply".to_owned());
        }
        let field = |name: &str| description.get(name).filter(|it| !it.is_null());
        let base = description.as_str().or_else(|| field("base").or_else(|| field("type"))?.as_str());
        let base = base.ok_or("a type has a `base`, such as \"string\" or \"struct\"")?;
        let inner = |name: &str| match field(name) {
            Some(it) => self.ty(it, depth + 1),
            None => Ok(Type::Any),
        };
        let ty = match base {
            "string" => Type::Text,
            "number" => Type::Number,
            "bool" | "boolean" => Type::Bool,
            "int" => Type::Refined(Box::new(Type::Number), vec![Refinement::Integer]),
            "any" => Type::Any,
            "null" => Type::Null,
            "List" | "list" => Type::List(Box::new(inner("elementType")?)),
            "Dict" | "Map" => Type::Map(Box::new(inner("valueType")?)),
            "choice" | "enum" => choice(field("values"))?,
            "struct" => {
                let fields = field("fields").and_then(Json::as_object).ok_or("a struct has `fields`")?;
                let each = fields.iter().map(|(name, it)| {
                    let optional = it["optional"] == true;
                    let ty = self.ty(it, depth + 1)?;
                    Ok(Parameter { name: name.clone(), ty, optional, default: None, aliases: Vec::new() })
                });
                Type::Fields(each.collect::<Result<_, String>>()?)
            }
            name => self.named(name)?,
        };
        let refinements =
            field("refinements").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let refinements = refinements.iter().map(refinement).collect::<Result<Vec<_>, _>>()?;
        Ok(if refinements.is_empty() { ty } else { Type::Refined(Box::new(ty), refinements) })
    }
}

impl Methods for TypeValidator {
    fn call(&self, method: &str, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        ready(self.called(method, &invocation).map_err(Interrupt::from)).boxed()
    }
}

fn choice(values: Option<&Json>) -> Result<Type, String> {
    let values = values.and_then(Json::as_array).filter(|it| !it.is_empty());
    let values = values.ok_or("a choice has `values`")?;
    let each = values.iter().map(|it| match it {
        Json::String(text) => Ok(Type::Literal(Literal::Text(text.clone()))),
        Json::Number(number) => Ok(Type::Literal(Literal::Number(number.clone()))),
        Json::Bool(bool) => Ok(Type::Literal(Literal::Bool(*bool))),
        other => Err(format!("a choice is of texts, numbers, true and false, not {other}")),
    });
    Ok(Type::union(each.collect::<Result<Vec<_>, _>>()?))
}

/// Reads a refinement: `{kind: "min", value: 0}`.
fn refinement(it: &Json) -> Result<Refinement, String> {
    let kind = it["kind"].as_str().unwrap_or_default();
    if kind.is_empty() || !kind.chars().all(|char| char.is_ascii_alphabetic()) {
        return Err(format!("a refinement has a `kind`, such as \"email\", not {}", it["kind"]));
    }
    let argument = match &it["value"] {
        Json::Null => String::new(),
        Json::String(pattern) if kind == "regex" && !pattern.starts_with('/') => {
            format!("/{}/", pattern.replace('/', r"\/"))
        }
        Json::String(pattern) if kind == "regex" => pattern.clone(),
        value => value.to_string(),
    };
    for base in ["string", "number", "List<any>"] {
        if let Ok(Type::Refined(_, mut refinements)) = Type::parse(&format!("{base}.{kind}({argument})"))
            && refinements.len() == 1
        {
            return Ok(refinements.remove(0));
        }
    }
    Err(format!("there is no refinement `.{kind}({argument})`"))
}

fn size(ty: &Type) -> usize {
    1 + ty.parts().into_iter().map(size).sum::<usize>()
}
