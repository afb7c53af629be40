//! `validator`: the checks of documents, and of definitions alone.

use std::sync::Arc;

use ailang::{Diagnostic, Document, Documents, Level, Severity, Strictness, validate};
use dialect::{Failure, Value};
use serde_json::{Value as Json, json};
use source_text::{Encoding, LineIndex};

use crate::call::Call;
use crate::loader::error_value;
use crate::view;

/// The path of a text, and of definitions.
const TEXT: &str = "document.md";

/// A document to be checked, with what it imports.
pub(crate) struct Whole {
    pub(crate) documents: Documents,
    pub(crate) path: String,
}

/// Returns the whole document of an argument: a text, or what `parser` returned.
///
/// # Errors
/// The parsed document is not known, or was changed.
pub(crate) fn whole(call: &Call) -> Result<Whole, Failure> {
    let argument = call.invocation.arguments.get("document").unwrap_or(&Value::Null);
    if let Some(text) = argument.as_text() {
        return Ok(alone(Document::parse(text)));
    }
    let given = argument.to_json();
    let unknown = || {
        let path = given["path"].as_str().unwrap_or("the document");
        call.failure("UnknownTextError", json!({ "path": path }))
    };
    let known = given["hash"].as_str().and_then(|hash| call.program.recall(hash)).ok_or_else(unknown)?;
    // A document that the program changed is not checked as if it were unchanged.
    let level = given["metadata"]["loadedAtLevel"].as_str().and_then(Level::parse);
    let mut again =
        view::view(&known.document, known.path.as_deref(), &level.unwrap_or(Level::Standard).into());
    again["hash"] = given["hash"].clone();
    if !is_part(&given, &again) {
        return Err(unknown());
    }
    let Some(path) = &known.path else { return Ok(alone(Document::clone(&known.document))) };
    let found = call.program.own()?.lock().with_imports(path);
    let (mut documents, path) = found.map_err(|error| call.run.thrown(&error_value(&call.run, &error)))?;
    documents.insert(path.clone(), Arc::clone(&known.document));
    Ok(Whole { documents, path })
}

fn alone(document: Document) -> Whole {
    let mut documents = Documents::new();
    documents.insert(TEXT, document);
    documents.add_standard_library();
    Whole { documents, path: TEXT.to_owned() }
}

/// Returns `true` if one value says the same as another, and leaves out at most null.
fn is_part(given: &Json, whole: &Json) -> bool {
    match (given, whole) {
        (Json::Object(given), Json::Object(whole)) => {
            given.iter().all(|(name, value)| whole.get(name).map_or(value.is_null(), |it| is_part(value, it)))
                && whole.iter().all(|(name, value)| value.is_null() || given.contains_key(name))
        }
        (Json::Array(given), Json::Array(whole)) => {
            given.len() == whole.len() && given.iter().zip(whole).all(|(given, whole)| is_part(given, whole))
        }
        _ => given == whole,
    }
}

pub(crate) fn document(call: &Call) -> Result<Value, Failure> {
    let Whole { documents, path } = whole(call)?;
    let strictness = call.invocation.arguments.get("strictness").and_then(Value::as_text);
    let strictness = strictness.and_then(Strictness::parse).unwrap_or(Strictness::Normal);
    let found = validate(&documents, &path, strictness).unwrap_or_default();
    let source = documents.get(&path).map_or("", |it| it.source.as_str());
    let index = LineIndex::new(source);
    let place = |it: &Diagnostic| {
        let (line, column) = index.position(source, it.span.start, Encoding::Utf32);
        json!({"file": path, "line": line + 1, "column": column + 1})
    };
    let of = |severity: Severity| -> Json {
        found.iter().filter(|it| it.severity == severity).map(|it| diagnostic(it, &place(it))).collect()
    };
    let (errors, warnings, infos) = (of(Severity::Error), of(Severity::Warning), of(Severity::Info));
    let is_valid = errors.as_array().is_none_or(Vec::is_empty);
    Ok(json!({"isValid": is_valid, "errors": errors, "warnings": warnings, "infos": infos}).into())
}

fn diagnostic(it: &Diagnostic, location: &Json) -> Json {
    let (code, severity) = (it.code.to_string(), it.severity.name());
    let mut found = json!({"code": code, "severity": severity, "message": it.message, "location": location});
    let fix = || it.fixes.first().map(|fix| fix.title.clone());
    if let Some(suggestion) = it.help.clone().or_else(fix) {
        found["suggestion"] = suggestion.into();
    }
    found
}

pub(crate) fn types(call: &Call) -> Result<Value, Failure> {
    parts(call, &["definitions"], &["AL30", "AL33", "AL20", "AL10"])
}

pub(crate) fn capabilities(call: &Call) -> Result<Value, Failure> {
    parts(call, &["tools", "capabilities"], &["AL31", "AL20", "AL10"])
}

pub(crate) fn errors(call: &Call) -> Result<Value, Failure> {
    parts(call, &["tools", "errors"], &["AL32", "AL20", "AL10"])
}

/// Checks definitions as a document of their own, and returns the diagnostics with certain codes.
fn parts(call: &Call, parameters: &[&str], codes: &[&str]) -> Result<Value, Failure> {
    let mut text =
        "---\nid: definitions\ntitle: Definitions\nsummary: Definitions.\n---\n<define>\n".to_owned();
    let mut places = Vec::new();
    for parameter in parameters {
        for definition in call.invocation.arguments.list(parameter)? {
            let definition = definition.to_json();
            let start = text.len();
            text.push_str(&written(&definition));
            text.push('\n');
            places.push((start..text.len(), definition));
        }
    }
    text.push_str("</define>\n");
    let Whole { documents, path } = alone(Document::parse(text));
    let found = validate(&documents, &path, Strictness::Normal).unwrap_or_default();
    let is_wanted = |it: &&Diagnostic| {
        let code = it.code.to_string();
        codes.iter().any(|start| code.starts_with(start))
    };
    let each = found.iter().filter(is_wanted).map(|it| {
        let at = places.iter().enumerate().find(|(_, (range, _))| range.contains(&it.span.start));
        let line = at.map_or(1, |(index, (_, it))| it["line"].as_u64().unwrap_or(index as u64 + 1));
        let file = at.and_then(|(_, (_, it))| it["document"].as_str()).unwrap_or("definitions");
        diagnostic(it, &json!({"file": file, "line": line, "column": 1}))
    });
    Ok(each.collect::<Json>().into())
}

/// Writes a definition as a document does, on one line.
fn written(it: &Json) -> String {
    let text = |name: &str| it[name].as_str().unwrap_or_default();
    let list = |name: &str| -> Vec<&str> {
        it[name].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
    };
    let joined = |word: &str, names: Vec<&str>| {
        if names.is_empty() { String::new() } else { format!(" {word} {}", names.join(", ")) }
    };
    let name = text("name");
    match text("kind") {
        "tool" => {
            let returns = it["returnType"].as_str().map(|it| format!(" -> {it}")).unwrap_or_default();
            let requires = joined("requires", list("requires"));
            format!("tool {name}({}){returns}{requires}{}", parameters(it), joined("throws", list("throws")))
        }
        "error" => {
            let property = |name: &str| it[name].as_str().map(|text| format!(", {name} = {}", json!(text)));
            let recovery = property("recovery").unwrap_or_default();
            let after =
                it["retryAfter"].as_str().map(|it| format!(", retryAfter = {it}")).unwrap_or_default();
            let (message, retryable) = (json!(text("message")), it["retryable"] == true);
            let head = format!("error {name}({})", parameters(it));
            format!("{head} {{ message = {message}, retryable = {retryable}{recovery}{after} }}")
        }
        "capability" if !list("parts").is_empty() => {
            format!("capability {name} = {}", list("parts").join(" & "))
        }
        "capability" => {
            let scopes: Vec<String> = list("scope").iter().map(|it| json!(it).to_string()).collect();
            let scopes = if scopes.is_empty() {
                String::new()
            } else {
                format!(", scope = choice({})", scopes.join(" | "))
            };
            let fields = parameters(it);
            let fields = if fields.is_empty() { fields } else { format!(", {fields}") };
            format!("capability {name} {{ ask = {}{scopes}{fields} }}", json!(text("ask")))
        }
        "enum" => format!("enum {name} {{ {} }}", list("variants").join(", ")),
        _ => format!("type {name} = {}", text("definition")),
    }
}

fn parameters(it: &Json) -> String {
    let parameter = |it: &Json| {
        let name = it["name"].as_str().unwrap_or_default();
        let ty = it["type"].as_str();
        let has_default = ty.is_some_and(|it| it.contains(".default("));
        let mark = if it["optional"] == true && !has_default { "?" } else { "" };
        format!("{name}{mark}{}", ty.map(|it| format!(": {it}")).unwrap_or_default())
    };
    it["parameters"].as_array().into_iter().flatten().map(parameter).collect::<Vec<_>>().join(", ")
}
