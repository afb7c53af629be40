//! The rows of documents.

use ailang::{Documents, Implementation, Interface};
use dialect::{Conversion, Function, Invocation, Library, RecordType, Registry, Requirement, Value};
use literate::Actual;

pub(crate) fn of(documents: &Documents) -> Actual {
    let interface = match Interface::load(documents) {
        Ok(interface) => interface,
        Err(rejected) => return Actual::new("rejected", rejected.to_string()),
    };
    let library = match interface.library("test", code(documents)) {
        Ok(library) => library,
        Err(mismatch) => return Actual::new("mismatch", mismatch.to_string()),
    };
    let mut lines = shown(&library);
    lines.extend(interface.warnings().map(first));
    let text = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
    match Registry::new([library]) {
        Ok(_) => Actual::new("rows", text),
        Err(error) => Actual::new("broken promise", format!("{text}\n{error}")),
    }
}

/// Returns an implementation for each tool, which returns its arguments.
fn code(documents: &Documents) -> Vec<(String, Implementation)> {
    let echo = |invocation: Invocation| async move { Ok(Value::Object(invocation.arguments.0)) };
    let definitions = documents.iter().flat_map(|(_, document)| document.definitions());
    let tools = definitions.filter(|it| it.kind.keyword() == "tool");
    tools.map(|it| (it.name.text.clone(), Implementation::new(echo))).collect()
}

fn shown(library: &Library) -> Vec<String> {
    let mut lines = Vec::new();
    for RecordType { signature, description, .. } in &library.types {
        lines.push(format!("type {signature} // {description}"));
    }
    for row in &library.functions {
        lines.extend(function(row));
    }
    for Conversion { signature, description, requires, .. } in &library.conversions {
        lines.push(format!("conversion {signature} // {description}"));
        lines.extend(requires.iter().map(required));
    }
    lines
}

fn function(row: &Function) -> Vec<String> {
    let mut lines = vec![format!("{} // {}", row.signature, row.summary), format!("  {:?}", row.effect)];
    lines.extend(row.docs.lines().map(|line| format!("  | {line}")));
    for (what, names) in [("alias", &row.aliases), ("foreign", &row.foreign), ("e.g.", &row.examples)] {
        lines.extend(names.iter().map(|name| format!("  {what} {name}")));
    }
    lines.extend(row.parameter_aliases.iter().map(|(alias, name)| format!("  {name} is also {alias}")));
    lines.extend(row.requires.iter().map(required));
    lines.extend(row.fails.iter().map(|it| format!("  fails with {it}")));
    lines
}

fn required(requirement: &Requirement) -> String {
    format!("  requires {} {:?}", requirement.capability, requirement.restrictions)
}

/// Returns the first line of a warning, with its place.
fn first(reported: &str) -> String {
    reported.lines().take(2).map(str::trim).collect::<Vec<_>>().join(" ")
}
