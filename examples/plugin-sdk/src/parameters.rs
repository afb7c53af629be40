//! The parameters of a function, from the JSON Schema of its arguments.

use plugin_protocol::{Origin, Parameter, Signature, Takes};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

/// The member of a schema that says the type in the words of programs.
pub(crate) const TYPE: &str = "x-dialect";

/// Returns the signature of a function with these arguments and this result.
///
/// # Panics
/// The arguments are no struct.
pub(crate) fn signature<A: JsonSchema, R: JsonSchema>() -> Signature {
    let arguments = SchemaGenerator::default().into_root_schema_for::<A>().to_value();
    let result = SchemaGenerator::default().into_root_schema_for::<R>().to_value();
    let is_struct = matches!(text(&arguments, "type"), Some("object" | "null"));
    assert!(is_struct, "the arguments of a function are a struct, whose fields are the parameters, or ()");
    let required: Vec<_> = arguments["required"].as_array().into_iter().flatten().collect();
    let parameters = arguments["properties"].as_object().into_iter().flatten();
    let mut parameters: Vec<Parameter> = parameters
        .map(|(name, schema)| Parameter {
            name: name.clone(),
            kind: Some(type_of(schema, &arguments)),
            optional: !required.iter().any(|it| *it == name),
            description: text(schema, "description").map(str::to_owned),
            default: schema.get("default").filter(|it| !it.is_null()).map(Value::to_string),
            takes: Takes::One,
        })
        .collect();
    parameters.sort_by_key(|it| it.optional); // the sort keeps the order of fields
    Signature { parameters, returns: Some(type_of(&result, &result)), origin: Origin::Declared }
}

/// Returns a sentence about the fields of a result that is an object or a list of objects; empty if it is neither.
pub(crate) fn fields_of<R: JsonSchema>() -> String {
    let schema = SchemaGenerator::default().into_root_schema_for::<R>().to_value();
    let (each, subject) = match text(&schema, "type") {
        Some("array") => (&schema["items"], "Each has"),
        _ => (&schema, "The result has"),
    };
    let each = resolved(each, &schema);
    let Some(fields) = each.get("properties").and_then(Value::as_object) else { return String::new() };
    let names: Vec<_> = fields.keys().map(|it| format!("`{it}`")).collect();
    format!("{subject} {}.", names.join(", "))
}

fn text<'a>(schema: &'a Value, member: &str) -> Option<&'a str> {
    schema.get(member)?.as_str()
}

fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let target = text(schema, "$ref").and_then(|it| root.pointer(it.strip_prefix('#')?));
    target.unwrap_or(schema)
}

/// Returns the type of a schema in the words of programs; `any` for what they cannot say.
fn type_of(schema: &Value, root: &Value) -> String {
    let schema = resolved(schema, root);
    if let Some(words) = text(schema, TYPE) {
        return words.to_owned();
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        let mut others = options.iter().filter(|it| text(it, "type") != Some("null"));
        return match (others.next(), others.next()) {
            (Some(only), None) => type_of(only, root),
            _ => "any".to_owned(),
        };
    }
    let name = match schema.get("type") {
        Some(Value::String(name)) => Some(name.as_str()),
        Some(Value::Array(names)) => match &names[..] {
            [Value::String(name), Value::String(null)] if null == "null" => Some(name.as_str()),
            _ => None,
        },
        _ => None,
    };
    match name {
        Some("integer") => "int".to_owned(),
        Some("array") => {
            let items = schema.get("items").map_or_else(|| "any".to_owned(), |it| type_of(it, root));
            format!("List<{items}>")
        }
        Some(name) => name.to_owned(),
        None => "any".to_owned(),
    }
}

/// Returns the arguments by name.
///
/// # Errors
/// An argument that no parameter takes, one that is given twice, or one that is missing.
pub(crate) fn bound(
    args: Vec<Value>,
    kwargs: Map<String, Value>,
    parameters: &[Parameter],
    name: &str,
) -> Result<Map<String, Value>, String> {
    let signature_text = || signature_text(name, parameters);
    if args.len() > parameters.len() {
        return Err(format!(
            "{} takes {} arguments, and got {}",
            signature_text(),
            parameters.len(),
            args.len()
        ));
    }
    let mut all = Map::new();
    let by_position = parameters.iter().map(|it| it.name.clone()).zip(args);
    for (key, value) in by_position.chain(kwargs) {
        if !parameters.iter().any(|it| it.name == key) {
            return Err(format!("{} has no parameter `{key}`", signature_text()));
        }
        if all.insert(key.clone(), value).is_some() {
            return Err(format!("{} got `{key}` twice", signature_text()));
        }
    }
    // Null is what other languages give for what is left out.
    let is_given = |it: &Parameter| all.contains_key(&it.name);
    if let Some(missing) = parameters.iter().find(|it| !it.optional && !is_given(it)) {
        return Err(format!("{} needs `{}`", signature_text(), missing.name));
    }
    Ok(all)
}

/// Returns `name(a: string, b?: int)`.
pub(crate) fn signature_text(name: &str, parameters: &[Parameter]) -> String {
    let each = parameters.iter().map(|it| {
        let mark = if it.optional { "?" } else { "" };
        format!("{}{mark}: {}", it.name, it.kind.as_deref().unwrap_or("any"))
    });
    format!("{name}({})", each.collect::<Vec<_>>().join(", "))
}
