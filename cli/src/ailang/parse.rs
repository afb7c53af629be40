//! `ailang parse`: prints what documents declare.

mod tree;

use std::path::Path;

use ailang::{Document, Level, Severity};
use serde_json::Value;
use source_text::{LineIndex, Span};

use super::arguments::Parse;
use super::documents::{document, name};
use super::folder::meant;
use super::format::Format;
use super::outcome::{ExitResult, WRONG, each_document, say_tree};
use super::pattern::is_pattern;
use crate::output::say;

pub(super) fn run(arguments: &Parse) -> ExitResult {
    let mut trees = Vec::new();
    let files = &arguments.files.files;
    let worst = each_document(files, |file| one(file, arguments, &mut trees));
    if arguments.files.format != Format::Pretty {
        let is_one = matches!(files.as_slice(), [file] if meant(file).is_none() && !is_pattern(file));
        let all = if is_one { trees.pop() } else { Some(Value::Array(trees)) };
        all.map_or(Ok(()), |all| say_tree(arguments.files.format, &all))?;
    }
    Ok(worst)
}

fn one(file: &Path, arguments: &Parse, trees: &mut Vec<Value>) -> ExitResult {
    let document = document(file)?;
    let name = name(file);
    match arguments.files.format {
        Format::Pretty => say(&pretty(&name, &document, arguments.level))?,
        Format::Json | Format::Yaml => trees.push(tree::document(&name, &document, arguments.level)),
    }
    let is_wrong = document.diagnostics.iter().any(|it| it.severity == Severity::Error);
    Ok(if is_wrong { WRONG } else { 0 })
}

/// Returns the declarations of a document, one on each line, followed by its syntax errors.
fn pretty(name: &str, document: &Document, level: Level) -> String {
    let index = LineIndex::new(&document.source);
    let title = document.front_matter.title.as_ref().map_or("without a title", |title| &title.value);
    let mut lines = vec![format!("{name}: {title}")];
    let mut add = |span: Span, text: &str| {
        lines.push(format!(
            "{:>6}  {}",
            tree::line(document, &index, span),
            text.replace('\n', "\n        ")
        ));
    };
    for definition in document.definitions().filter(|_| level >= Level::Standard) {
        let comment = definition.documentation.text.trim();
        if level >= Level::Detailed && !comment.is_empty() {
            add(definition.span, &format!("// {}", comment.replace('\n', "\n// ")));
        }
        add(definition.name.span, &document.declaration(definition));
    }
    for tool in document.definitions().filter(|_| level == Level::Compact) {
        tree::parameters(tool).into_iter().for_each(|it| {
            let names: Vec<&str> = it.list.iter().map(|it| it.name.text.as_str()).collect();
            add(tool.name.span, &format!("{}({})", tool.name.text, names.join(", ")));
        });
    }
    for example in document.examples.iter().filter(|_| level >= Level::Detailed) {
        add(example.span, &example.id().map_or("example".to_owned(), |id| format!("example {id}")));
    }
    let diagnostics =
        document.diagnostics.iter().map(|it| "\n".to_owned() + &it.show(name, &document.source, &index));
    lines.extend(diagnostics);
    lines.join("\n")
}
