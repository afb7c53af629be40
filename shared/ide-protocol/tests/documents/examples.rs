//! The examples of EDITORS.md: JSON blocks that name a type, read as that type.

use std::collections::BTreeSet;

use ide_protocol::{Operation, PROGRESS_METHOD, Support, read_capability};
use serde_json::Value;

use crate::editors::document;
use crate::types;

/// A block ```` ```json SUBJECT ````.
struct Example {
    subject: String,
    json: Value,
}

fn examples() -> Vec<Example> {
    let document = document();
    let blocks = document.split("\n```json").skip(1);
    let read = |block: &str| {
        let (subject, rest) = block.split_once('\n').expect("a fence is a line");
        let (text, _) = rest.split_once("\n```").expect("a fence is closed");
        let json = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        Example { subject: subject.trim().to_owned(), json }
    };
    blocks.map(read).collect()
}

/// The document's first example of a type.
pub(crate) fn example(name: &str) -> Value {
    let found = examples().into_iter().find(|it| it.subject == name);
    found.unwrap_or_else(|| panic!("EDITORS.md has no example of `{name}`")).json
}

#[test]
fn every_example_is_what_the_types_read_and_write() {
    for Example { subject, json } in examples() {
        let Some(wire) = types().into_iter().find(|it| it.name == subject) else { continue };
        match (wire.echo)(&json) {
            Ok(again) => assert_eq!(again, json, "`{subject}` has fields that the type does not"),
            Err(error) => panic!("{error} in the example of `{subject}`\n{json:#}"),
        }
    }
}

#[test]
fn everything_that_travels_by_itself_has_an_example() {
    let shown: BTreeSet<String> = examples().into_iter().map(|it| it.subject).collect();
    let travels = |name: &str| {
        name.ends_with("Request") || name.ends_with("Result") || name == "Progress" || name == "IdeError"
    };
    let missing: Vec<_> =
        types().into_iter().map(|it| it.name).filter(|name| travels(name) && !shown.contains(name)).collect();
    assert_eq!(missing, [""; 0]);
    let known =
        |it: &str| types().iter().any(|wire| wire.name == it) || ["capability", "message"].contains(&it);
    assert_eq!(shown.iter().filter(|it| !known(it)).collect::<Vec<_>>(), [""; 0], "no such subject");
}

#[test]
fn capabilities_are_read_as_the_document_says() {
    let read: Vec<Support> = examples()
        .iter()
        .filter(|it| it.subject == "capability")
        .map(|it| read_capability(&it.json))
        .collect();
    let some = [Operation::Definitions, Operation::References].into_iter().collect();
    assert_eq!(read, [Support::full(), some]);
}

#[test]
fn whole_messages_name_methods_and_codes_that_exist() {
    let messages: Vec<Value> =
        examples().into_iter().filter(|it| it.subject == "message").map(|it| it.json).collect();
    assert!(!messages.is_empty());
    for message in messages {
        assert_eq!(message["jsonrpc"], "2.0");
        if let Some(method) = message["method"].as_str() {
            let is_ours = Operation::from_method(method).is_some() || method == PROGRESS_METHOD;
            assert!(is_ours || method == "$/cancel_request", "{method}");
        }
        if !message["error"]["data"].is_null() {
            let error: ide_protocol::IdeError =
                serde_json::from_value(message["error"]["data"].clone()).expect("it is our error");
            assert_eq!(message["error"]["code"], error.kind.code());
            assert_eq!(message["error"]["message"], error.message);
        }
    }
}
