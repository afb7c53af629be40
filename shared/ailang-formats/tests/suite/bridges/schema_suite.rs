//! The official test suite of JSON Schema 2020-12: a type that is imported without differences has the verdicts of the
//! suite, and one that lost rules accepts at least what is valid.

use std::path::Path;

use ailang::{Document, Documents};
use ailang_formats::{Foreign, Imported, Remark, RemarkKind, import};
use libtest_mimic::Trial;
use serde_json::Value;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![types_have_the_verdicts_that_the_remarks_promise]
}

/// A schema of the suite with its tests.
struct Group {
    name: String,
    schema: Value,
    tests: Vec<Test>,
}

struct Test {
    name: String,
    value: Value,
    is_valid: bool,
}

/// Reads the files of `tests/draft2020-12` of the suite, which has a line for each schema here. The suite is of Julian
/// Berman, under the MIT license.
fn groups() -> Vec<Group> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/bridges/json-schema-test-suite.jsonl");
    let text = std::fs::read_to_string(path).expect("it is there");
    let test = |test: &Value| Test {
        name: test[0].as_str().expect("it is a text").to_owned(),
        value: test[1].clone(),
        is_valid: test[2].as_bool().expect("it is a verdict"),
    };
    let group = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("it is JSON");
        let tests = line["tests"].as_array().expect("it is a list").iter().map(test).collect();
        let name = format!("{}: {}", line["file"], line["description"]);
        Group { name, schema: line["schema"].take(), tests }
    };
    text.lines().map(group).collect()
}

/// The faithfulness of an import.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// The type accepts what the schema accepts.
    Same,
    /// The type accepts that and more.
    Wider,
    /// The type differs.
    Different,
}

/// Returns the promise that the remarks make. The range of integers is checked apart.
fn promise(remarks: &[Remark]) -> Promise {
    let of = |it: &Remark| match it.kind {
        RemarkKind::Added => Promise::Same,
        RemarkKind::Changed if it.what == "integers without bounds" || it.what.starts_with("the name ") => {
            Promise::Same
        }
        RemarkKind::Changed => Promise::Different,
        RemarkKind::Lost => Promise::Wider,
    };
    let all: Vec<Promise> = remarks.iter().map(of).collect();
    [Promise::Different, Promise::Wider].into_iter().find(|it| all.contains(it)).unwrap_or(Promise::Same)
}

/// Returns `true` if a value has an integer that `int` does not reach.
fn has_large_integer(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|it| it.abs() > 9_007_199_254_740_991.0),
        Value::Array(items) => items.iter().any(has_large_integer),
        Value::Object(fields) => fields.values().any(has_large_integer),
        _ => false,
    }
}

/// Returns the tests whose verdicts break a promise.
fn broken(group: &Group, imported: &Imported, promise: Promise) -> Vec<String> {
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(imported.text.as_str()));
    let root = documents.get("a.md").and_then(|it| it.definitions().next()).expect("it has a type");
    let is_broken = |test: &&Test| {
        let checked = documents.check_value("a.md", &root.name.text, &test.value).expect("it is a type");
        let is_wrong = checked.is_ok() != test.is_valid && (promise == Promise::Same || test.is_valid);
        is_wrong && !has_large_integer(&test.value)
    };
    let shown = |it: &Test| {
        let Test { name, value, is_valid } = it;
        format!("{}, {name}: {value} is valid: {is_valid}\n{}\n{}", group.name, group.schema, imported.text)
    };
    group.tests.iter().filter(is_broken).map(shown).collect()
}

fn types_have_the_verdicts_that_the_remarks_promise() {
    let (mut same, mut wider, mut different, mut refused) = (0, 0, 0, 0);
    let mut wrong: Vec<String> = Vec::new();
    for group in groups() {
        let Ok(imported) = import(&group.schema, Foreign::JsonSchema) else {
            refused += 1;
            continue;
        };
        super::checked(&imported);
        let promise = promise(&imported.remarks);
        *match promise {
            Promise::Same => &mut same,
            Promise::Wider => &mut wider,
            Promise::Different => &mut different,
        } += 1;
        if promise != Promise::Different {
            wrong.extend(broken(&group, &imported, promise));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    // Only booleans, which are whole schemas, are refused.
    assert_eq!((same + wider + different, refused), (436, 2));
    assert!(same > 55 && wider > 80, "{same} are the same, {wider} wider, {different} different");
}
