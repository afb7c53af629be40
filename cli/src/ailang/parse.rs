//! `ailang parse`: what documents declare.

use ailang::syntax::Definition;
use ailang::{Document, Severity};
use serde_json::{Value, json};
use source_text::{Encoding, LineIndex};

use super::documents::{document, name};
use super::{Came, Files, Format, WRONG};
use crate::output::say;

pub(super) fn run(files: &Files) -> Came {
    let mut is_wrong = false;
    let mut told = Vec::new();
    for file in &files.files {
        let document = document(file)?;
        let name = name(file);
        is_wrong |= document.diagnostics.iter().any(|it| it.severity == Severity::Error);
        match files.format {
            Format::Pretty => say(&pretty(&name, &document))?,
            Format::Json => told.push(as_json(&name, &document)),
        }
    }
    if files.format == Format::Json {
        let all = if told.len() == 1 { told.remove(0) } else { Value::Array(told) };
        say(&format!("{all:#}"))?;
    }
    Ok(if is_wrong { WRONG } else { 0 })
}

/// What it declares, a definition a line, and what is wrong with how it is written.
fn pretty(name: &str, document: &Document) -> String {
    let index = LineIndex::new(&document.source);
    let mut lines = vec![format!("{name}: {}", title(document))];
    for definition in document.definitions() {
        let line = line(document, &index, definition);
        lines.push(format!("{line:>6}  {}", document.declaration(definition).replace('\n', "\n        ")));
    }
    lines.extend(document.examples.iter().map(|example| {
        let id = example.id().map_or_else(String::new, |id| format!(" {id}"));
        let (line, _) = index.position(&document.source, example.span.start, Encoding::Utf32);
        format!("{:>6}  example{id}", line + 1)
    }));
    let told =
        document.diagnostics.iter().map(|it| "\n".to_owned() + &it.show(name, &document.source, &index));
    lines.extend(told);
    lines.join("\n")
}

fn title(document: &Document) -> &str {
    document.front_matter.title.as_ref().map_or("without a title", |title| &title.value)
}

fn line(document: &Document, index: &LineIndex, definition: &Definition) -> usize {
    let (line, _) = index.position(&document.source, definition.name.span.start, Encoding::Utf32);
    line + 1
}

fn as_json(name: &str, document: &Document) -> Value {
    let index = LineIndex::new(&document.source);
    let front_matter = &document.front_matter;
    let text = |field: &Option<ailang::Field<String>>| field.as_ref().map(|it| it.value.clone());
    let keywords: Vec<&str> = front_matter.keywords.iter().map(|it| it.value.as_str()).collect();
    let definition = |it: &Definition| {
        json!({
            "kind": it.kind.keyword(),
            "name": it.name.text,
            "declaration": document.declaration(it),
            "documentation": it.documentation.text,
            "tags": it.documentation.tags.iter().map(|tag| json!({"name": tag.name, "text": tag.text})).collect::<Vec<_>>(),
            "line": line(document, &index, it),
        })
    };
    json!({
        "path": name,
        "id": text(&front_matter.id),
        "title": text(&front_matter.title),
        "summary": text(&front_matter.summary),
        "loading": front_matter.loading().name(),
        "keywords": keywords,
        "definitions": document.definitions().map(definition).collect::<Vec<_>>(),
        "examples": document.examples.iter().map(|it| json!({"id": it.id(), "tool": it.tool()})).collect::<Vec<_>>(),
        "diagnostics": document.diagnostics.iter().map(|it| it.to_json(name, &document.source, &index)).collect::<Vec<_>>(),
    })
}
