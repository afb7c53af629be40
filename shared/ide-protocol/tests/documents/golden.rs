//! The JSON of every operation's request and result, to the byte: keys, their order, defaults, and the keys left out.

use expect_test::expect_file;
use ide_protocol::Operation;
use serde_json::{Map, Value, json};

use crate::examples::example;
use crate::{Messages, types};

/// Reads and writes `json` as the type called `name`.
fn echo(name: &str, json: &Value) -> Result<String, String> {
    let wire = types().into_iter().find(|it| it.name == name).unwrap_or_else(|| panic!("no type `{name}`"));
    (wire.rewrite)(&json.to_string())
}

/// One line a type and one for each of its keys: the JSON written for all keys, then for all but that one.
fn lines(name: &str, full: &Map<String, Value>) -> String {
    let mut lines =
        format!("{name}: {}\n", echo(name, &json!(full)).unwrap_or_else(|error| panic!("{name}: {error}")));
    for key in full.keys() {
        let mut rest = full.clone();
        rest.shift_remove(key);
        let without = json!(rest).to_string();
        let optional = match echo(name, &json!(rest)) {
            Ok(written) if written == without => "left out".to_owned(),
            Ok(written) => written,
            Err(_) => "required".to_owned(),
        };
        rest.insert(key.clone(), Value::Null);
        let null = match echo(name, &json!(rest)) {
            Ok(written) if written.contains(&format!("\"{key}\":null")) => "stays",
            Ok(_) => "left out",
            Err(_) => "refused",
        };
        lines.push_str(&format!("    without {key}: {optional}; null: {null}\n"));
    }
    lines
}

#[test]
fn the_json_of_every_operation_is_the_recorded_one() {
    let full: Map<String, Value> =
        serde_json::from_str(include_str!("golden/full.json")).expect("the file is JSON");
    let mut recorded = String::new();
    for operation in Operation::ALL {
        recorded.push_str(&format!("# {}\n", operation.method()));
        for name in operation.visit(Messages).map(|it| it.name) {
            let message = full.get(&name).cloned().unwrap_or_else(|| example(&name));
            recorded.push_str(&lines(&name, message.as_object().expect("a message is an object")));
        }
    }
    expect_file!["golden/recorded.txt"].assert_eq(&recorded);
}

#[test]
fn keys_may_come_in_any_order_and_unknown_ones_are_ignored() {
    let full: Map<String, Value> =
        serde_json::from_str(include_str!("golden/full.json")).expect("the file is JSON");
    for (name, message) in full {
        let expected = echo(&name, &message);
        let mut keys: Vec<_> =
            message.as_object().expect("a message is an object").clone().into_iter().collect();
        keys.reverse();
        keys.insert(0, ("unknown".to_owned(), json!({"a": [1, null]})));
        let reversed: Map<String, Value> = keys.into_iter().collect();
        assert_eq!(echo(&name, &json!(reversed)), expected, "{name}");
    }
}
