//! Runs the cases in `cases/`: each is a test of its own, named after its id.
//!
//! A case has steps on the side of the host or of the plugin, or a table of values. Each step has one member,
//! which `host.rs` and `plugin.rs` list. `receive` is what the peer writes, `wire` all that this side has
//! written since, and `events` all that it has noticed.

#![expect(clippy::disallowed_methods, reason = "the harness reads the cases")]

mod host;
mod limits;
mod plugin;
mod recorded;
mod show;
mod values;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use serde_json::Value as Json;

/// An exchange of messages, as a file of `cases` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    /// The reason why the expectation is right.
    why: String,
    #[serde(default)]
    host: Vec<Json>,
    #[serde(default)]
    plugin: Vec<Json>,
    /// Values in short, and what is sent for them.
    #[serde(default)]
    write: Vec<(Json, Json)>,
    /// JSON that arrives, and the value in short, or the error.
    #[serde(default)]
    read: Vec<(Json, String)>,
}

fn main() -> ExitCode {
    let mut cases: Vec<Case> = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for entry in fs::read_dir(folder).expect("the cases are a folder") {
        let path = entry.expect("the folder can be read").path();
        let text = fs::read_to_string(&path).expect("a file of cases is text");
        let more: Vec<Case> =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        cases.extend(more);
    }
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    let ids: BTreeSet<_> = cases.iter().map(|it| it.id.clone()).collect();
    assert_eq!(ids.len(), cases.len(), "ids are unique");
    let mut tests = limits::trials();
    tests.extend(cases.into_iter().map(|it| Trial::test(it.id.clone(), move || run(&it))));
    tests.extend(recorded::trials());
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn run(case: &Case) -> Result<(), Failed> {
    let Case { why, host, plugin, write, read, .. } = case;
    if why.is_empty() || (host.is_empty() && plugin.is_empty() && write.is_empty() && read.is_empty()) {
        return Err("a case says why, and does something".into());
    }
    host::run(host).and_then(|()| plugin::run(plugin)).and_then(|()| values::run(write, read))?;
    Ok(())
}

/// Runs each step, which is an object with one member, by its name and value.
fn each(steps: &[Json], mut run: impl FnMut(&str, &Json) -> Result<(), String>) -> Result<(), String> {
    for it in steps {
        let (name, value) = step(it)?;
        run(name, value).map_err(|error| format!("{it}\n{error}"))?;
    }
    Ok(())
}

/// The name and the value of the only member of a step.
fn step(step: &Json) -> Result<(&str, &Json), String> {
    match step.as_object().map(|it| it.iter().collect::<Vec<_>>()).as_deref() {
        Some([(name, value)]) => Ok((name.as_str(), value)),
        _ => Err(format!("a step has one member: {step}")),
    }
}

/// Compares, and shows both.
fn same(what: &str, actual: &[String], expected: &[String]) -> Result<(), String> {
    if actual == expected {
        return Ok(());
    }
    Err(format!("{what}\nactual:\n  {}\nexpected:\n  {}", actual.join("\n  "), expected.join("\n  ")))
}

/// Returns what a peer writes: texts as they are, repeated texts, bytes, and JSON as lines.
fn written(items: &Json) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for item in items.as_array().ok_or("what is received is a list")? {
        match item {
            Json::String(text) => bytes.extend_from_slice(text.as_bytes()),
            Json::Object(object) if object.contains_key("bytes") => {
                let given: Vec<u8> =
                    serde_json::from_value(object["bytes"].clone()).map_err(|it| it.to_string())?;
                bytes.extend(given);
            }
            Json::Object(object) if object.contains_key("repeat") => {
                let text = object["repeat"].as_str().ok_or("a text")?;
                let times = object["times"].as_u64().and_then(|it| usize::try_from(it).ok());
                bytes.extend(text.repeat(times.ok_or("times")?).bytes());
            }
            json => bytes.extend(format!("{json}\n").bytes()),
        }
    }
    Ok(bytes)
}

/// Returns the lines of an output, each checked to be one whole JSON text, and in short spacing.
fn lines(output: &[u8]) -> Result<Vec<String>, String> {
    let text = std::str::from_utf8(output).map_err(|it| it.to_string())?;
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(format!("the last line is not ended: {text}"));
    }
    let one = |line: &str| serde_json::from_str::<Json>(line).map(|it| it.to_string());
    text.lines().map(|line| one(line).map_err(|error| format!("{line}: {error}"))).collect()
}

/// Returns expected lines.
fn expected_lines(step: &Json) -> Result<Vec<String>, String> {
    let lines = step.as_array().ok_or("expected lines are a list")?;
    Ok(lines.iter().map(ToString::to_string).collect())
}

/// Returns expected texts.
fn texts(step: &Json) -> Result<Vec<String>, String> {
    serde_json::from_value(step.clone()).map_err(|it| it.to_string())
}
