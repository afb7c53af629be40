//! Bridges: what a format can hold comes back, and whatever is read becomes a valid document.

mod foreign;
mod hostile;
mod kept;
mod schema_suite;
mod servers;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ailang::{Document, Documents, Severity, Strictness, format, validate};
use ailang_formats::{Exported, Foreign, Imported, export, import, import_skill};
use dialect::{Refinement, Type};
use libtest_mimic::Trial;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::strategies::{tree, typed};

pub(crate) fn trials() -> Vec<Trial> {
    [
        literate::trials![
            what_a_format_holds_comes_back,
            skills_come_back_as_they_were,
            exported_schemas_are_schemas,
            types_survive_their_schemas
        ],
        foreign::trials(),
        hostile::trials(),
        kept::trials(),
        schema_suite::trials(),
        servers::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn documents(text: &str) -> Documents {
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(text));
    documents
}

fn errors(text: &str) -> Vec<String> {
    let documents = documents(text);
    let found = validate(&documents, "a.md", Strictness::Normal).expect("it was added");
    let errors = found.into_iter().filter(|it| it.severity == Severity::Error);
    errors
        .map(|it| {
            format!(
                "{} {} at {}",
                it.code,
                it.message,
                documents.get("a.md").expect("it was added").text(it.span)
            )
        })
        .collect()
}

fn exported(text: &str, format: Foreign) -> Exported {
    export(&documents(text), "a.md", format).expect("it was added")
}

fn json_of(exported: &Exported) -> Value {
    serde_json::from_str(&exported.files[0].text).expect("it is JSON")
}

/// Checks the promises of every import.
fn checked(imported: &Imported) -> &str {
    let text = imported.text.as_str();
    assert_eq!(errors(text), Vec::<String>::new(), "{text}");
    let formatted = format(text).unwrap_or_else(|it| panic!("{text}\n{it:?}"));
    assert_eq!(formatted, text, "it is not in the canonical layout");
    text
}

/// Brings schemas with the same meaning into one form: rules in `allOf` are rules, and their order does not matter.
fn normal(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut rules: BTreeSet<String> = BTreeSet::new();
            let mut others = Map::new();
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("allOf", Value::Array(parts)) => {
                        let parts = parts.iter().flat_map(|it| it.as_object().into_iter().flatten());
                        rules.extend(parts.map(|(key, value)| format!("{key} {value}")));
                    }
                    (
                        "pattern" | "maxLength" | "minLength" | "minimum" | "maximum" | "exclusiveMinimum",
                        value,
                    ) => {
                        let number = value.as_f64().map(|it| it.to_string());
                        rules.insert(format!("{key} {}", number.unwrap_or_else(|| value.to_string())));
                    }
                    (_, value) => drop(others.insert(key.clone(), normal(value))),
                }
            }
            if !rules.is_empty() {
                others.insert("rules".to_owned(), json!(rules));
            }
            others.into()
        }
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Number(number) => json!(number.as_f64()),
        other => other.clone(),
    }
}

/// The valid documents of the corpus and of this repository.
fn corpus() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "../ailang/corpus/valid",
        "../ailang/corpus/skills",
        "../core-library/interface",
        "../ide-library/interface",
    ];
    let mut all = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.extension().is_some_and(|it| it == "md") {
                let text = std::fs::read_to_string(&path).expect("it can be read");
                if errors(&text).is_empty() {
                    all.push((path, text));
                }
            }
        }
    }
    all.sort();
    assert!(all.len() > 30, "{}", all.len());
    all
}

fn what_a_format_holds_comes_back() {
    for (path, text) in corpus() {
        for format in [Foreign::Mcp, Foreign::OpenApi, Foreign::JsonSchema] {
            let first = json_of(&exported(&text, format));
            let imported = match import(&first, format) {
                Ok(imported) => imported,
                Err(error) => {
                    let is_empty = format == Foreign::JsonSchema && first["$defs"] == json!({});
                    assert!(is_empty, "{}: {error}", path.display());
                    continue;
                }
            };
            let second = json_of(&exported(checked(&imported), format));
            let name = format!(
                "{} as {}:\n{}\n{:?}",
                path.display(),
                format.name(),
                imported.text,
                imported.remarks
            );
            pretty_assert(&normal(&first), &normal(&second), &name);
        }
    }
}

fn pretty_assert(first: &Value, second: &Value, name: &str) {
    if first != second {
        let (first, second) = (format!("{first:#}"), format!("{second:#}"));
        let differing = first.lines().zip(second.lines()).enumerate().find(|(_, (one, other))| one != other);
        panic!("{name}\nfirst difference: {differing:?}");
    }
}

fn skills_come_back_as_they_were() {
    for (path, text) in corpus() {
        let first = exported(&text, Foreign::Skill);
        let imported = import_skill(&first.files[0].text, |path| {
            let file = first.files.iter().find(|it| it.path.ends_with(path))?;
            Some(file.text.clone())
        });
        let imported = imported.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        checked(&imported);
        if first.files.len() > 1 {
            assert_eq!(imported.text, format(&text).expect("it is valid"));
            continue;
        }
        let second = exported(&imported.text, Foreign::Skill);
        let third = import_skill(&second.files[0].text, |_| None).expect("it is one");
        assert_eq!(third.text, imported.text, "{}", path.display());
        let fields = |text: &str| {
            let front_matter = Document::parse(text).front_matter;
            let id = front_matter.id.map(|it| it.value);
            (id, front_matter.title.map(|it| it.value), front_matter.version.map(|it| it.value))
        };
        assert_eq!(fields(&imported.text), fields(&text), "{}", path.display());
        let names = |text: &str| {
            Document::parse(text).definitions().map(|it| it.name.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&imported.text), names(&text), "{}", path.display());
    }
}

fn exported_schemas_are_schemas() {
    for (path, text) in corpus() {
        let schema = json_of(&exported(&text, Foreign::JsonSchema));
        jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for tool in json_of(&exported(&text, Foreign::Mcp))["tools"].as_array().expect("it is a list") {
            assert_eq!(tool["inputSchema"]["type"], "object", "{}", path.display());
            for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
                if !schema.is_null() {
                    jsonschema::draft202012::new(schema)
                        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    assert_eq!(schema["type"], "object", "{}", path.display());
                }
            }
        }
    }
}

fn accepts(schema: &Value, value: &Value) -> bool {
    jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{schema:#}: {error}")).is_valid(value)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// A type takes the same values after it was a schema, read, and written again.
    fn types_survive_their_schemas((ty, value) in typed()) {
        let schema = tree().schema(&ty).expect("it has one");
        let mut root = json!({"$defs": schema.get("$defs").cloned().unwrap_or(json!({}))});
        root["$defs"]["Subject"] = schema.clone();
        root["$defs"]["Subject"].as_object_mut().expect("it is an object").remove("$defs");
        let imported = import(&root, Foreign::JsonSchema).map_err(|it| TestCaseError::fail(it.to_string()))?;
        checked(&imported);
        let again = json_of(&exported(&imported.text, Foreign::JsonSchema));
        let mut whole = again.clone();
        whole["$ref"] = json!("#/$defs/Subject");
        let is_same = imported.remarks.is_empty();
        let (before, after) = (accepts(&schema, &value), accepts(&whole, &value));
        prop_assert!(before == after || !is_same, "{}\n{value}\n{schema:#}\n{}\n{again:#}", ty, imported.text);
        let is_contradiction = imported.remarks.iter().any(|it| ["rules of", "the number"].iter().any(|start| it.what.starts_with(start)));
        prop_assert!(is_same || is_contradiction || has_other_rules(&ty), "{ty}: {:?}", imported.remarks);
    }
}

/// Returns `true` if something in the type is beyond documents: rules for other types than texts, numbers, lists
/// and dictionaries, or a union of which a value may be two members.
pub(crate) fn has_other_rules(ty: &Type) -> bool {
    match ty {
        Type::Refined(inner, rules) => {
            let are_about = rules.iter().all(|it| it.is_about(inner));
            let is_plain = |it: &Type| matches!(it, Type::Text | Type::Number | Type::List(_) | Type::Map(_));
            let inner = if let Type::Optional(inner) = &**inner { inner } else { inner };
            !are_about || !is_plain(inner) || has_other_rules(inner) || are_odd(rules)
        }
        Type::List(inner) | Type::Map(inner) | Type::Optional(inner) => has_other_rules(inner),
        Type::Union(members) => members.iter().any(has_other_rules),
        Type::Fields(fields) => {
            fields.iter().any(|it| has_other_rules(&it.ty) || it.default == Some(Value::Null))
        }
        _ => false,
    }
}

/// Returns `true` for rules that documents do not have: multiples of 0, and two of the same name.
fn are_odd(rules: &[Refinement]) -> bool {
    let mut names: Vec<String> = rules.iter().map(ToString::to_string).collect();
    let has_zero = names.iter().any(|it| it.starts_with(".multipleOf(0)"));
    names.iter_mut().for_each(|it| it.truncate(it.find('(').unwrap_or(it.len())));
    let twice = |(at, name): (usize, &String)| name != ".regex" && names[..at].contains(name);
    has_zero || names.iter().enumerate().any(twice)
}
