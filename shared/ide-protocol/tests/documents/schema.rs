//! `schema.json`: everything that travels, by method.

use expect_test::expect_file;
use ide_protocol::{Operation, PROGRESS_METHOD};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::{Messages, types};

/// The schema of the whole wire. Definitions have the types' names.
pub(crate) fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    for wire in types() {
        (wire.schema)(&mut generator);
    }
    let definitions: Map<String, Value> =
        generator.definitions().iter().map(|(name, schema)| (name.clone(), plain(schema))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ide_operations, version 1",
        "description": "ACP extension requests that an editor answers; see EDITORS.md.",
        "x-methods": methods(),
        "$defs": definitions,
    })
}

fn methods() -> Map<String, Value> {
    let mut methods = Map::new();
    for operation in Operation::ALL {
        let [params, result] =
            operation.visit(Messages).map(|it| json!({ "$ref": format!("#/$defs/{}", it.name) }));
        let method = json!({
            "params": params,
            "result": result,
            "errorData": { "$ref": "#/$defs/IdeError" },
        });
        methods.insert(operation.method(), method);
    }
    methods.insert(PROGRESS_METHOD.to_owned(), json!({ "params": { "$ref": "#/$defs/Progress" } }));
    methods
}

/// Rust's links between types mean nothing here.
fn plain(schema: &Value) -> Value {
    let text = schema.to_string().replace("[`", "`").replace("`]", "`");
    serde_json::from_str(&text).expect("only brackets around backticks were taken away")
}

#[test]
fn the_schema_is_that_of_the_types() {
    let schema = serde_json::to_string_pretty(&schema()).expect("a schema is JSON");
    expect_file!["../../schema.json"].assert_eq(&(schema + "\n"));
}

#[test]
fn every_reference_leads_somewhere() {
    let schema = schema();
    let text = schema.to_string();
    let references = text.split("\"#/$defs/").skip(1).filter_map(|it| it.split('"').next());
    let unknown: Vec<_> = references.filter(|name| schema["$defs"][name].is_null()).collect();
    assert_eq!(unknown, [""; 0]);
}
