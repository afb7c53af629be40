//! `schema.json`: everything that travels, by method.

use expect_test::expect_file;
use ide_protocol::{Operation, PROGRESS_METHOD};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::types;

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
        let reference = |name: String| json!({ "$ref": format!("#/$defs/{name}") });
        let method = json!({
            "params": reference(subject(operation) + "Request"),
            "result": reference(answer(operation) + "Result"),
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

/// What the type of its answer is called after.
pub(crate) fn answer(operation: Operation) -> String {
    match operation {
        Operation::Rename | Operation::TakeAction | Operation::Format | Operation::OrganizeImports => {
            "Edits".to_owned()
        }
        operation => subject(operation),
    }
}

/// What the types of an operation are called after.
pub(crate) fn subject(operation: Operation) -> String {
    match operation {
        Operation::Declarations | Operation::TypeDefinitions | Operation::Implementations => {
            title(Operation::Definitions.name())
        }
        Operation::Callers | Operation::Callees | Operation::Supertypes | Operation::Subtypes => {
            "Hierarchy".to_owned()
        }
        operation => title(operation.name()),
    }
}

fn title(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
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
