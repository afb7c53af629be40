//! `outline`: the definitions in a file, one a line.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Definition, Operation, OutlineQuestion, Point};
use source_text::visible;

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::excerpt::{Budget, clip};
use crate::failure::from_wire;
use crate::row::{Code, past_the_end, with_host};
use crate::spelling::{ParsedPlace, display_path};
use crate::symbol::last_line;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("outline(path, skip?)", with_host(host, outline))
}

async fn outline(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let written = invocation.arguments.text("path")?.trim();
    let path = ParsedPlace::read(written).map_or_else(|| written.to_owned(), |it| it.location().path);
    let answer = host.ask(Operation::Outline, &OutlineQuestion { path }).await.map_err(from_wire)?;
    note_completeness(Operation::Outline, &invocation.notes, &answer.completeness);
    let skipped: Option<usize> = invocation.arguments.read("skip")?;
    let (skipped, total) = (skipped.unwrap_or(0), answer.definitions.len());
    if skipped > 0 && skipped >= total {
        return Err(past_the_end("definitions", total).into());
    }
    let mut room = Budget::new();
    let lines = written_down(&answer.definitions);
    let shown: Vec<_> = lines.into_iter().skip(skipped).take_while(|line| room.take(line)).collect();
    let end = skipped + shown.len();
    if end < total {
        let cut = format!("Cut after {end} of {total} definitions");
        invocation.notes.add_rest(format!("{cut}; the rest is "), "skip", end, format!("{cut}."));
    }
    Ok(shown.join("\n").into())
}

/// Returns a line for each definition: `12-40  pub struct User`, indented inside another.
fn written_down(definitions: &[Definition]) -> Vec<String> {
    let stretch = |it: &Definition| {
        let (first, last) = (it.name_at.start.line, last_line(&it.defined_at));
        if first >= last { first.to_string() } else { format!("{first}-{last}") }
    };
    let stretches: Vec<String> = definitions.iter().map(stretch).collect();
    let width = stretches.iter().map(String::len).max().unwrap_or(0);
    let mut around: Vec<(Point, Point)> = Vec::new();
    let mut lines = Vec::new();
    let mut previous = None;
    for (it, stretch) in definitions.iter().zip(&stretches) {
        let own = (it.defined_at.start, it.defined_at.end);
        // Definitions that are declared together have the same extent.
        while around.last().is_some_and(|other| other.1 < own.1 || *other == own) {
            around.pop();
        }
        let indent = "  ".repeat(around.len());
        let line = Some(it.name_at.start.line);
        // The first definition on a line shows its text.
        let head =
            if line == previous { format!("{} {}", it.kind, display_path(&it.name)) } else { head(it) };
        lines.push(format!("{stretch:<width$}  {indent}{head}"));
        around.push(own);
        previous = line;
    }
    lines
}

/// Returns the line that has the name. If it is unknown or differs, returns kind and name.
fn head(definition: &Definition) -> String {
    let Definition { name, kind, .. } = definition;
    let text = definition.name_at.text.as_deref().map(str::trim).filter(|it| it.contains(name.as_str()));
    let head = text.map(|it| it.trim_end_matches(['{', ' ']));
    match head.filter(|it| !it.is_empty()) {
        Some(head) => clip(&visible(head)),
        None => clip(&format!("{kind} {}", display_path(name))),
    }
}
