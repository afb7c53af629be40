//! The reference manual of a registry, as Markdown made of its rows.

use indexmap::{IndexMap, IndexSet};

use crate::describe::function;
use crate::registry::{Callable, CallableCode, RegisteredConversion};
use crate::{Effect, Function, RecordType, Registry};

/// Returns a manual of every function, type and conversion, with a heading of the second level for each
/// library.
///
/// The same registry gives the same text.
pub fn reference(registry: &Registry) -> String {
    let mut libraries: IndexMap<&str, Chapter<'_>> = IndexMap::new();
    for callable in registry.callables() {
        libraries.entry(&callable.library).or_default().callables.push(callable);
    }
    for route in registry.conversions() {
        libraries.entry(&route.library).or_default().conversions.push(route);
    }
    libraries.iter().map(|(name, chapter)| chapter.text(name)).collect::<Vec<_>>().join("\n")
}

/// The rows of a library.
#[derive(Default)]
struct Chapter<'registry> {
    callables: Vec<&'registry Callable>,
    conversions: Vec<&'registry RegisteredConversion>,
}

impl Chapter<'_> {
    fn text(&self, name: &str) -> String {
        let mut parts = vec![format!("## The library `{name}`\n")];
        parts.extend(self.callables.iter().filter_map(|it| function(it)).map(section));
        if self.callables.iter().any(|it| matches!(it.code, CallableCode::Constructor(_))) {
            parts.push(TYPES.to_owned());
            parts.extend(self.callables.iter().filter_map(|it| type_section(it)));
        }
        if !self.conversions.is_empty() {
            parts.push(conversions(&self.conversions));
        }
        parts.extend(self.failures());
        parts.join("\n")
    }

    /// Lists the declared failures, each once.
    fn failures(&self) -> Option<String> {
        let rows = self.callables.iter().filter_map(|it| function(it)).flat_map(|row| &row.fails);
        let all = rows.chain(self.conversions.iter().flat_map(|it| &it.fails));
        let each: IndexSet<String> = all.map(|it| format!("- {it}\n")).collect();
        let each: Vec<String> = each.into_iter().collect();
        (!each.is_empty()).then(|| format!("### Failures\n\n{}", each.concat()))
    }
}

const TYPES: &str =
    "### Types\n\nEach is made by the function of its name, or of an object with these fields.\n";

fn section(row: &Function) -> String {
    let Function { signature, aliases, summary, docs, examples, effect, fails, .. } = row;
    let name = signature.split('(').next().unwrap_or(signature);
    let effect = match effect {
        Effect::Pure => "Computes from its arguments alone.",
        Effect::Reads => "Reads.",
        Effect::Writes => "Writes.",
    };
    let also: Vec<String> = aliases.iter().map(|it| format!("`{it}`")).collect();
    let also = if also.is_empty() { String::new() } else { format!(" Also called {}.", also.join(", ")) };
    let mut text = format!("### {name}\n\n```text\n{signature}\n```\n\n{summary} {effect}{also}\n");
    if !docs.is_empty() {
        text.push_str(&format!("\n{docs}\n"));
    }
    if !fails.is_empty() {
        let each: Vec<String> = fails.iter().map(|it| format!("`{}`", it.name)).collect();
        text.push_str(&format!("\nFails with {}.\n", each.join(", ")));
    }
    if !examples.is_empty() {
        text.push_str(&format!("\n```dialect\n{}\n```\n", examples.join("\n")));
    }
    text
}

fn type_section(callable: &Callable) -> Option<String> {
    let CallableCode::Constructor(shape) = &callable.code else { return None };
    let RecordType { description, docs, .. } = &shape.row;
    let docs = if docs.is_empty() { String::new() } else { format!("\n{docs}\n") };
    Some(format!("#### {}\n\n```text\n{}\n```\n\n{description}\n{docs}", shape.name, callable.signature))
}

fn conversions(routes: &[&RegisteredConversion]) -> String {
    let mut text =
        "### Conversions\n\nApplied by themselves where the one is given and the other is wanted.\n\n\
                    | from | to | what it comes to | name |\n| --- | --- | --- | --- |\n"
            .to_owned();
    for RegisteredConversion { signature, description, .. } in routes {
        let (from, to) = (&signature.parameters[0].ty, &signature.returns);
        text.push_str(&format!("| `{from}` | `{to}` | {} | `{}` |\n", cell(description), signature.name));
    }
    text
}

/// Escapes a bar, which would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
