//! The questions of the checks, and how their answers are judged.

use std::collections::BTreeMap;

use ide_protocol::{ErrorCode, IdeError, Operation, Question, Visitor, read_result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::workspace::{Files, substituted};
use crate::deviation::{Deviation, shown};

/// The checks in one language.
#[derive(Debug, Deserialize)]
pub(super) struct Suite {
    #[serde(flatten)]
    pub(super) files: Files,
    pub(super) cases: Vec<Case>,
}

impl Suite {
    /// Reads the checks.
    pub(super) fn read() -> Self {
        toml::from_str(include_str!("python.toml")).expect("a test reads it")
    }
}

/// A question, and what is expected of its answer. Keys that look like paths are JSON pointers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) operation: String,
    /// The promise that the answer keeps.
    pub(super) name: String,
    #[serde(default = "no_fields")]
    pub(super) ask: Value,
    /// The places of the result, in this order.
    places: Option<Vec<String>>,
    /// The places of the result, in any order.
    set: Option<Vec<String>>,
    /// Places that the result has, perhaps beside others.
    #[serde(default)]
    some: Vec<String>,
    /// All places that the result may have.
    among: Option<Vec<String>>,
    #[serde(default)]
    equals: BTreeMap<String, Value>,
    /// Parts of texts.
    #[serde(default)]
    contains: BTreeMap<String, String>,
    /// Parts that texts must not have.
    #[serde(default)]
    lacks: BTreeMap<String, String>,
    /// The lengths of lists.
    #[serde(default)]
    counts: BTreeMap<String, usize>,
    /// Lists and texts that are not empty.
    #[serde(default)]
    filled: Vec<String>,
    /// The kinds of errors, one of which is the answer.
    #[serde(default)]
    pub(super) error: Vec<ErrorCode>,
    /// Lines that files have afterwards.
    #[serde(default)]
    pub(super) texts: BTreeMap<String, String>,
    /// The values that later questions need.
    #[serde(default)]
    pub(super) keep: BTreeMap<String, String>,
}

fn no_fields() -> Value {
    json!({})
}

/// The answer to a request, or the error object of its response.
pub(super) type Answer = Result<Value, Value>;

/// Returns the kind of an error.
///
/// # Errors
/// It does not follow the protocol.
pub(super) fn kind_of(error: &Value) -> Result<ErrorCode, String> {
    let data: IdeError = serde_json::from_value(error["data"].clone())
        .map_err(|it| format!("the error's `data` cannot be read: {it}"))?;
    if error["code"] != data.kind.code() {
        return Err(format!("the code of the error is not that of its kind, {}", data.kind.code()));
    }
    Ok(data.kind)
}

/// Returns the values of an answer that later questions need.
pub(super) fn kept(case: &Case, answer: &Answer) -> Vec<(String, Value)> {
    let Ok(result) = answer else { return Vec::new() };
    let values = case.keep.iter().filter_map(|(name, at)| Some((name.clone(), result.pointer(at)?.clone())));
    values.filter(|(_, it)| it.is_string()).collect()
}

/// Judges the answer to a question.
///
/// # Errors
/// It is not the one that is expected.
pub(super) fn judge(
    case: &Case,
    operation: Operation,
    files: &Files,
    kept: &BTreeMap<String, Value>,
    answer: &Answer,
) -> Result<(), Deviation> {
    match answer {
        Ok(result) if case.error.is_empty() => result_is_right(case, operation, files, kept, result),
        Ok(result) => Err(deviation(&result.to_string(), &an_error(&case.error))),
        Err(error) if case.error.is_empty() => Err(deviation(&error.to_string(), "a result")),
        Err(error) => error_is_one_of(&case.error, error),
    }
}

/// Judges an error.
///
/// # Errors
/// It is of another kind, or does not follow the protocol.
pub(super) fn error_is_one_of(kinds: &[ErrorCode], error: &Value) -> Result<(), Deviation> {
    match kind_of(error) {
        Ok(kind) if kinds.contains(&kind) => Ok(()),
        Ok(_) => Err(deviation(&error.to_string(), &an_error(kinds))),
        Err(problem) => Err(deviation(&error.to_string(), &format!("{}; {problem}", an_error(kinds)))),
    }
}

/// Returns the words for an error of these kinds.
pub(super) fn an_error(kinds: &[ErrorCode]) -> String {
    let names: Vec<_> = kinds.iter().map(|it| json!(it)).collect();
    let names: Vec<_> = names.iter().map(text).collect();
    format!("the error `{}`", names.join("` or `"))
}

fn deviation(came: &str, expected: &str) -> Deviation {
    Deviation { sent: String::new(), came: shown(came), expected: expected.to_owned() }
}

struct Reads(Operation, Value);

impl Visitor for Reads {
    type Output = Result<(), IdeError>;

    fn visit<Q: Question>(self) -> Self::Output {
        read_result::<Q::Result>(self.0, self.1).map(drop)
    }
}

fn result_is_right(
    case: &Case,
    operation: Operation,
    files: &Files,
    kept: &BTreeMap<String, Value>,
    result: &Value,
) -> Result<(), Deviation> {
    let came = result.to_string();
    let wrong = |expected: &str| Err(deviation(&came, expected));
    if let Err(error) = operation.visit(Reads(operation, result.clone())) {
        return wrong(&format!("a result of the protocol: {}", error.message));
    }
    let found = places(operation, result);
    let named: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
    let came_at = || if named.is_empty() { "no places".to_owned() } else { named.join(", ") };
    for place in &found {
        place.lines_are_right(files).map_err(|expected| deviation(&came, &expected))?;
    }
    let read = |places: &[String]| -> Vec<String> {
        places.iter().map(|it| name_of(files, it).unwrap_or_else(|problem| problem)).collect()
    };
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let all: Vec<String> = named.iter().map(|it| (*it).to_owned()).collect();
    let listed = |places: &[String]| match places {
        [] => "no places".to_owned(),
        places => format!("{} ({})", read(places).join(", "), places.join(", ")),
    };
    if let Some(places) = &case.places
        && read(places) != all
    {
        return Err(deviation(&came_at(), &listed(places)));
    }
    if let Some(places) = &case.set
        && sorted(read(places)) != sorted(all.clone())
    {
        return Err(deviation(&came_at(), &format!("in any order {}", listed(places))));
    }
    if let Some(missing) = case.some.iter().find(|it| !all.contains(&read(std::slice::from_ref(*it))[0])) {
        return Err(deviation(&came_at(), &format!("among them {}", listed(std::slice::from_ref(missing)))));
    }
    if let Some(places) = &case.among {
        let allowed = read(places);
        if let Some(other) = all.iter().find(|it| !allowed.contains(it)) {
            return Err(deviation(other, &format!("nothing but {}", listed(places))));
        }
    }
    for (at, expected) in &case.equals {
        let expected = substituted(expected, kept).unwrap_or(Value::Null);
        if result.pointer(at) != Some(&expected) {
            return Err(deviation(&at_pointer(result, at), &format!("{expected} at {at}")));
        }
    }
    for (at, part) in &case.contains {
        if !text_at(result, at).contains(part) {
            return Err(deviation(&at_pointer(result, at), &format!("`{part}` in the text at {at}")));
        }
    }
    for (at, part) in &case.lacks {
        if text_at(result, at).contains(part) {
            return Err(deviation(&at_pointer(result, at), &format!("no `{part}` in the text at {at}")));
        }
    }
    for (at, count) in &case.counts {
        if result.pointer(at).and_then(Value::as_array).map(Vec::len) != Some(*count) {
            return Err(deviation(&at_pointer(result, at), &format!("a list of {count} at {at}")));
        }
    }
    for at in &case.filled {
        let length = result.pointer(at).map_or(0, |it| it.as_array().map_or(text(it).len(), Vec::len));
        if length == 0 {
            return Err(deviation(&at_pointer(result, at), &format!("something at {at}")));
        }
    }
    Ok(())
}

fn at_pointer(result: &Value, at: &str) -> String {
    result.pointer(at).map_or_else(|| format!("nothing at {at} of {result}"), ToString::to_string)
}

fn text_at<'a>(result: &'a Value, at: &str) -> &'a str {
    result.pointer(at).map_or("", text)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A place of a result, or two that a link connects.
struct Found<'a> {
    name: String,
    ranges: Vec<&'a Value>,
}

impl Found<'_> {
    /// Checks that ranges have the text of their line, where they have one.
    fn lines_are_right(&self, files: &Files) -> Result<(), String> {
        for range in &self.ranges {
            let (path, number) = (text(&range["path"]), range["start"]["line"].as_u64().unwrap_or_default());
            if let (Some(said), Some(line)) = (range["text"].as_str(), files.line(path, number))
                && said != line.trim()
            {
                return Err(format!("the trimmed line {path}:{number} as `text`: {}", line.trim()));
            }
        }
        Ok(())
    }
}

/// Returns the places of a result.
fn places(operation: Operation, result: &Value) -> Vec<Found<'_>> {
    let of = |list: &str, at: &str| -> Vec<Found<'_>> {
        let items = result[list].as_array().map(Vec::as_slice).unwrap_or_default();
        items
            .iter()
            .map(|it| {
                let range = it.pointer(at).unwrap_or(it);
                Found { name: spelled(range), ranges: vec![range] }
            })
            .collect()
    };
    match operation {
        Operation::References => of("references", ""),
        Operation::Search | Operation::HitContext => of("hits", ""),
        Operation::Matches => of("matches", ""),
        Operation::Selection => {
            let mut found = of("selections", "");
            found.iter_mut().for_each(|it| it.ranges.clear()); // `text` is what is selected
            found
        }
        Operation::Diagnostics => of("diagnostics", ""),
        Operation::Imports | Operation::Importers => of("imports", "/at"),
        Operation::Callers | Operation::Callees | Operation::Supertypes | Operation::Subtypes => {
            let links = result["links"].as_array().map(Vec::as_slice).unwrap_or_default();
            let link = |it| {
                let it: &Value = it;
                let [from, to] = ["from", "to"].map(|side| &it[side]["nameAt"]);
                let calls = it["at"].as_array().map(Vec::as_slice).unwrap_or_default();
                let name = format!("{} -> {}", spelled(from), spelled(to));
                Found { name, ranges: [from, to].into_iter().chain(calls).collect() }
            };
            links.iter().map(link).collect()
        }
        _ => of("definitions", "/nameAt"),
    }
}

/// Spells a range: `app.py:7:24-29`, or with both lines where they differ.
fn spelled(range: &Value) -> String {
    let (start, end) = (&range["start"], &range["end"]);
    let line = if start["line"] == end["line"] { String::new() } else { format!("{}:", end["line"]) };
    format!("{}:{}:{}-{line}{}", text(&range["path"]), start["line"], start["column"], end["column"])
}

/// Returns the spelling of the ranges that a place names, or both sides of a link.
fn name_of(files: &Files, place: &str) -> Result<String, String> {
    let sides = place.split(" -> ").map(|it| Ok(spelled(&files.range(it)?)));
    Ok(sides.collect::<Result<Vec<_>, String>>()?.join(" -> "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_cases_and_every_place_is_there() {
        let suite = Suite::read();
        for operation in Operation::ALL {
            assert!(suite.cases.iter().any(|it| it.operation == operation.name()), "{operation} has no case");
        }
        for case in &suite.cases {
            assert!(Operation::from_name(&case.operation).is_some(), "{}", case.operation);
            let lists = [&case.places, &case.set, &case.among].into_iter().flatten().flatten();
            for place in lists.chain(&case.some) {
                name_of(&suite.files, place).unwrap();
            }
        }
    }
}
