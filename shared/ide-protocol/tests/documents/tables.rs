//! Schema → the tables of EDITORS.md.

use serde_json::Value;

/// The fields of a type as a Markdown table, after the description of a result.
pub(crate) fn fields(schema: &Value, name: &str) -> String {
    let of = &schema["$defs"][name];
    let mut table = String::new();
    if name.ends_with("Result") {
        table = format!("{}\n\n", words(&of["description"]));
    }
    let properties = of["properties"].as_object().unwrap_or_else(|| panic!("`{name}` has no fields"));
    let required = of["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    table.push_str("| field | type | |\n| --- | --- | --- |\n");
    for (field, schema) in properties {
        let optional = if required.contains(&Value::from(field.as_str())) { "" } else { "?" };
        table.push_str(&format!(
            "| `{field}{optional}` | {} | {} |\n",
            ty(schema),
            words(&schema["description"])
        ));
    }
    table
}

/// The kinds of error with their codes.
pub(crate) fn errors(schema: &Value) -> String {
    let kinds = schema["$defs"]["ErrorCode"]["oneOf"].as_array().expect("an enumeration with descriptions");
    let mut table = "| `kind` | code | |\n| --- | --- | --- |\n".to_owned();
    for kind in kinds {
        let code: ide_protocol::ErrorCode =
            serde_json::from_value(kind["const"].clone()).expect("the schema is that of the type");
        let name = kind["const"].as_str().expect("a name");
        table.push_str(&format!("| `{name}` | {} | {} |\n", code.code(), words(&kind["description"])));
    }
    table
}

fn ty(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return named(reference);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let choices = choices.iter().filter(|it| it["type"] != "null");
        return choices.map(ty).collect::<Vec<_>>().join(" or ");
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).filter(|it| *it != "null").collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    match kinds.as_slice() {
        ["array"] => format!("list of {}", ty(&schema["items"])),
        kinds => kinds.join(" or "),
    }
}

fn named(reference: &str) -> String {
    match reference.rsplit('/').next().unwrap_or_default() {
        "Line" | "Column" => "integer from 1".to_owned(),
        "Source" => "string".to_owned(),
        "Severity" => "`error`, `warning`, `information` or `hint`".to_owned(),
        "ChangePoint" => "`edit`, `prompt` or `session`".to_owned(),
        name => name.to_owned(),
    }
}

fn words(description: &Value) -> String {
    description
        .as_str()
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}
