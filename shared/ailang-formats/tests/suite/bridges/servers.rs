//! Tools of real servers: read, written again, and compared with the original. A remark tells of each difference.

use std::path::Path;

use ailang_formats::{Foreign, Imported, import};
use libtest_mimic::Trial;
use serde_json::{Map, Value, json};

use super::{checked, exported, json_of};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![remarks_tell_of_each_difference]
}

/// Returns the servers' results of `tools/list`, and those that `AILANG_TOOLS_LISTS` names a folder of.
fn servers() -> Vec<(String, Value)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/bridges/servers");
    let others = std::env::var_os("AILANG_TOOLS_LISTS").map(Into::into);
    let folders = [own].into_iter().chain(others);
    let files = folders.flat_map(|it| std::fs::read_dir(it).expect("the folder is there"));
    let files = files.map(|it| it.expect("it can be read").path());
    let lists = files.filter(|it| it.extension().is_some_and(|it| it == "json"));
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        (path.display().to_string(), serde_json::from_str(&text).expect("it is JSON"))
    };
    lists.map(read).collect()
}

/// Adds the places at which JSON differs, as pointers of the original.
fn compare(before: &Value, after: &Value, at: &str, found: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(one), Value::Object(other)) => {
            let keys = one.keys().chain(other.keys().filter(|it| !one.contains_key(*it)));
            for key in keys {
                let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (one.get(key), other.get(key)) {
                    (Some(before), Some(after)) => compare(before, after, &place, found),
                    (Some(before @ Value::Object(_)), None) => compare(before, &json!({}), &place, found),
                    _ => found.push(place),
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (before, after)) in one.iter().zip(other).enumerate() {
                compare(before, after, &format!("{at}/{index}"), found);
            }
        }
        (before, after) if before.as_f64().is_some() && before.as_f64() == after.as_f64() => {}
        (before, after) if before == after => {}
        _ => found.push(at.to_owned()),
    }
}

/// Brings schemas with the same meaning into one form.
fn normal(value: &Value) -> Value {
    let Value::Object(fields) = value else {
        let Value::Array(items) = value else { return value.clone() };
        return items.iter().map(normal).collect();
    };
    let mut fields: Map<String, Value> =
        fields.iter().map(|(key, value)| (key.clone(), normal(value))).collect();
    // Types have capitals; remarks tell of each new name.
    if let Some(Value::Object(definitions)) = fields.get_mut("$defs") {
        *definitions = definitions.iter().map(|(key, value)| (capital(key), value.clone())).collect();
    }
    if let Some(Value::String(target)) = fields.get_mut("$ref")
        && let Some(name) = target.strip_prefix("#/$defs/")
    {
        *target = format!("#/$defs/{}", capital(name));
    }
    let has_values = fields.contains_key("const") || fields.contains_key("enum");
    let reads = fields.get("readOnlyHint") == Some(&json!(true));
    // The same in other words: an empty list, dialects that agree on all that is read, names that are texts, defaults.
    fields.retain(|key, value| match key.as_str() {
        "required" => *value != json!([]),
        "type" => !has_values,
        // The ends of the integers that floats have.
        "minimum" | "maximum" => value.as_f64().is_none_or(|it| it.abs() < 9_007_199_254_740_991.0),
        "additionalProperties" => ![json!({}), json!(true)].contains(value),
        "$schema" => false,
        "propertyNames" => *value != json!({"type": "string"}),
        "execution" => *value != json!({"taskSupport": "forbidden"}),
        "readOnlyHint" | "idempotentHint" => *value != json!(false),
        "destructiveHint" => *value != json!(false) || !reads,
        _ => true,
    });
    // Comments have no blanks around them.
    if let Some(Value::String(text)) = fields.get_mut("description") {
        *text = text.trim().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    }
    if let Some(Value::Array(required)) = fields.get_mut("required") {
        required.sort_by_key(Value::to_string);
    }
    if let Some(Value::Array(members)) = fields.get_mut("anyOf") {
        let mut seen: Vec<Value> = Vec::new();
        members.retain(|it| {
            !seen.contains(it) && {
                seen.push(it.clone());
                true
            }
        });
    }
    if let Some(Value::Array(values)) = fields.get("enum").cloned()
        && let [only] = values.as_slice()
    {
        fields.remove("enum");
        fields.insert("const".to_owned(), only.clone());
    }
    // Several types are as many members; rules are not about null.
    if let Some(Value::Array(names)) = fields.get("type").cloned() {
        let is_rule = |key: &str| !matches!(key, "type" | "description" | "default" | "title" | "deprecated");
        let rules: Map<String, Value> = fields
            .iter()
            .filter(|(key, _)| is_rule(key))
            .map(|(key, it)| (key.clone(), it.clone()))
            .collect();
        fields.retain(|key, _| !is_rule(key) && key != "type");
        let member = |name: &Value| {
            let mut member = if name == "null" { Map::new() } else { rules.clone() };
            member.insert("type".to_owned(), name.clone());
            Value::from(member)
        };
        fields.insert("anyOf".to_owned(), names.iter().map(member).collect());
    }
    if let Some(Value::Array(members)) = fields.get("anyOf").cloned()
        && let [Value::Object(only)] = members.as_slice()
    {
        fields.remove("anyOf");
        fields.extend(only.clone());
    }
    fields.into()
}

fn capital(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}

/// Returns the steps of `place` inside of `around`. Equal definitions of several tools are one type, which is read once.
fn inside(around: &str, place: &str) -> Option<String> {
    if let Some(rest) = place.strip_prefix(around) {
        return Some(rest.to_owned());
    }
    let (_, around) = around.split_once("/$defs/")?;
    let (_, place) = place.split_once("/$defs/")?;
    place.to_lowercase().strip_prefix(&around.to_lowercase()).map(|_| place[around.len()..].to_owned())
}

/// Returns `true` if a remark tells of a difference: it is about the place, or about something around it that it names.
fn is_told(imported: &Imported, place: &str) -> bool {
    imported.remarks.iter().any(|remark| {
        let Some(rest) = inside(&remark.place, place) else { return false };
        let mut steps = rest.split('/').filter(|it| !it.is_empty());
        let Some(first) = steps.next() else { return true };
        let last = steps.clone().next_back().unwrap_or(first);
        let what = remark.what.to_lowercase();
        let is_named = |step: &str| {
            let step = step.to_lowercase();
            what.contains(&format!("`{step}`")) || what.contains(&format!("`{step}: "))
        };
        let means = |what: &str, keys: &[&str]| remark.what.starts_with(what) && keys.contains(&last);
        is_named(first)
            || steps.any(is_named)
            || means("an object that may have more fields", &["additionalProperties"])
            || means("the end of the description", &["description"])
            || means("lines of the description", &["description"])
            || means("the format", &["format", "pattern", "not", "maxLength", "allOf"])
            || means("the default null", &["default"])
            || means("`oneOf`", &["anyOf"])
            || means("`title`", &["description"])
            || means("the required field", &["required"])
    })
}

fn remarks_tell_of_each_difference() {
    let mut count = 0;
    for (path, original) in servers() {
        let imported = import(&original, Foreign::Mcp).unwrap_or_else(|error| panic!("{path}: {error}"));
        let written = json_of(&exported(checked(&imported), Foreign::Mcp));
        let mut differences = Vec::new();
        compare(&normal(&original), &normal(&written), "", &mut differences);
        // Each of ours says which document it is.
        differences.retain(|it| it != "/_meta");
        let silent: Vec<&String> = differences.iter().filter(|it| !is_told(&imported, it)).collect();
        let remarks: Vec<String> = imported.remarks.iter().map(ToString::to_string).collect();
        assert!(silent.is_empty(), "{path}: {silent:#?}\n{remarks:#?}\n{}", imported.text);
        count += differences.len();
    }
    assert!(count > 20, "{count}");
}
