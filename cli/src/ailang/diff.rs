//! `ailang diff`: compares two versions of a document.

use std::path::PathBuf;

use ailang_formats::{Change, Comparison, Impact, compare};
use clap::Args;
use packages::Package;
use serde_json::{Value, json};
use source_text::{Encoding, LineIndex};

use super::documents::{name, package};
use super::format::Format;
use super::outcome::{ExitResult, WRONG, say_tree};
use crate::failure::Failure;
use crate::output::say;

#[derive(Debug, Args)]
pub(super) struct Diff {
    /// The old version of the document
    old: PathBuf,
    /// The new version
    new: PathBuf,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(arguments: &Diff) -> ExitResult {
    let (old, new) = (package(&arguments.old)?, package(&arguments.new)?);
    let places = Places { old: Side::new(&arguments.old, &old), new: Side::new(&arguments.new, &new) };
    let comparison =
        compare(&old.documents, &old.path, &new.documents, &new.path).ok_or("a document is missing")?;
    if arguments.format == Format::Pretty {
        say_changes(&comparison, &places)?;
    } else {
        say_tree(arguments.format, &comparison.to_json(|change| places.of(change).to_json()))?;
    }
    Ok(if comparison.impact() == Some(Impact::Major) { WRONG } else { 0 })
}

fn say_changes(comparison: &Comparison, places: &Places<'_>) -> Result<(), Failure> {
    for change in &comparison.changes {
        let Place { path, line, column } = places.of(change);
        let Change { impact, subject, message, .. } = change;
        say(&format!("{:<5}  {subject}: {message} ({path}:{line}:{column})", impact.name()))?;
    }
    if comparison.changes.is_empty() {
        return say("no changes");
    }
    let text = |version: &Option<_>| version.as_ref().map_or("none".to_owned(), ToString::to_string);
    let suggested = comparison.suggested();
    match (&suggested, comparison.is_versioned()) {
        (Some(suggested), false) => say(&format!(
            "the version is {}; these changes ask for at least {suggested}",
            text(&comparison.new)
        )),
        (Some(_), true) => say(&format!("the version {} is high enough", text(&comparison.new))),
        (None, _) => say("the old document has no version, so none is suggested"),
    }
}

/// The files of both versions.
struct Places<'d> {
    old: Side<'d>,
    new: Side<'d>,
}

struct Side<'d> {
    name: String,
    source: &'d str,
    index: LineIndex,
}

/// A place in a file; line and column count from 1.
struct Place<'d> {
    path: &'d str,
    line: usize,
    column: usize,
}

impl<'d> Side<'d> {
    fn new(file: &std::path::Path, package: &'d Package) -> Self {
        let source = package.documents.get(&package.path).map_or("", |document| document.source.as_str());
        Self { name: name(file), source, index: LineIndex::new(source) }
    }
}

impl Places<'_> {
    fn of(&self, change: &Change) -> Place<'_> {
        let side = if change.in_old { &self.old } else { &self.new };
        let (line, column) = side.index.position(side.source, change.span.start, Encoding::Utf32);
        Place { path: &side.name, line: line + 1, column: column + 1 }
    }
}

impl Place<'_> {
    fn to_json(&self) -> Value {
        json!({"path": self.path, "line": self.line, "column": self.column})
    }
}
