//! Tools that documents are exported to, read as the MCP SDK declares them.

use std::path::Path;

use ailang::{Document, Documents};
use ailang_formats::{Foreign, export};
use rmcp::model::ListToolsResult;
use serde_json::{Value, json};

/// Returns the documents of the repository's examples.
fn documents() -> Vec<Document> {
    let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/skills");
    let names = ["email", "etl", "github", "publishing", "social-media"];
    let text = |name: &str| std::fs::read_to_string(skills.join(name).join(format!("{name}.md")));
    names.map(|name| Document::parse(text(name).expect("it is there"))).into()
}

#[test]
fn the_sdk_reads_every_field() {
    for document in documents() {
        let mut documents = Documents::new();
        documents.insert("a.md", document);
        let exported = export(&documents, "a.md", Foreign::Mcp).expect("it was added");
        let list: Value = serde_json::from_str(&exported.files[0].text).expect("it is JSON");
        let read: ListToolsResult = serde_json::from_value(list.clone()).expect("it is a list of tools");
        assert!(!read.tools.is_empty());
        let again = serde_json::to_value(&read).expect("it is JSON");
        assert_eq!((&again["tools"], &again["_meta"]), (&list["tools"], &list["_meta"]));
        for tool in &read.tools {
            assert_eq!(tool.input_schema.get("type"), Some(&json!("object")), "{}", tool.name);
        }
    }
}
