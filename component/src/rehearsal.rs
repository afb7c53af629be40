//! What a program would change, found out before the user is asked whether it may: everything up to its first change is
//! done, which only reads, and the change is looked at instead of being made.

use std::sync::Arc;

use dialect::{Limits, Outcome, Program, Value};
use ide_protocol::{Edit, EditsResult, Fate, FileEdit, Operation};
use serde_json::json;

use crate::extension::Extensions;
use crate::permission::Pass;
use crate::upstream::Asker;
use crate::vocabulary::Line;

/// The one function whose arguments say what it changes.
const APPLY: &str = "applyEdits";

/// How many files the user is told by name.
const TOLD: usize = 20;

/// What came of it.
pub(crate) enum Rehearsed {
    /// It would change this; `None` when nobody can say what.
    Changes(Option<String>),
    /// It ends without changing anything.
    Ends(Outcome),
}

/// Whether that is all that a program needs permission for.
pub(crate) fn is_for(program: &Program) -> bool {
    program.needs().iter().all(|it| it.callable == APPLY)
}

/// Rehearses a program that needs permission for changes alone.
pub(crate) async fn rehearse(source: &str, asker: &Arc<Asker>, extensions: &Extensions) -> Rehearsed {
    let pass = Pass::rehearsing();
    let registry = extensions.registry(Arc::new(Line::to(asker)), &pass);
    let Ok(program) = Program::parse(&registry, source, &Limits::default()) else {
        return Rehearsed::Changes(None); // it was read just now
    };
    let outcome = program.run(&registry, &Limits::default()).await;
    let Some(arguments) = pass.take_rehearsed() else { return Rehearsed::Ends(outcome) };
    let ids: Vec<String> = arguments.get("edits").map(ids).unwrap_or_default();
    let request = json!({ "edits": ids });
    let shown: Result<EditsResult, _> = asker.ask(Operation::Edits, &request).await;
    match shown {
        Ok(shown) => Rehearsed::Changes(Some(told(&shown.edits))),
        Err(error) => {
            tracing::debug!(%error, "what would change is not known");
            Rehearsed::Changes(None)
        }
    }
}

/// The names of edits, whatever else an agent says of them.
fn ids(edits: &Value) -> Vec<String> {
    let edits = edits.to_json();
    let each = edits.as_array().into_iter().flatten();
    each.filter_map(|it| Some(it["id"].as_str()?.to_owned())).collect()
}

/// `It changes 2 files:` and a line each.
fn told(edits: &[Edit]) -> String {
    let files: Vec<&FileEdit> = edits.iter().flat_map(|it| &it.files).collect();
    let lines = files.iter().take(TOLD).map(|it| line(it));
    let more = files.len().saturating_sub(TOLD);
    let more = (more > 0).then(|| format!("and {more} more"));
    let s = if files.len() == 1 { "" } else { "s" };
    let head = format!("It changes {} file{s}:", files.len());
    [head].into_iter().chain(lines).chain(more).collect::<Vec<_>>().join("\n")
}

/// `src/auth.rs: 3 changes, +5 -3 lines`
fn line(file: &FileEdit) -> String {
    let FileEdit { path, changes, diff, fate, to } = file;
    let path = ailang::plain(path, LONGEST_PATH);
    let s = if *changes == 1 { "" } else { "s" };
    let count = |mark: char| diff.lines().filter(|it| it.starts_with(mark)).count();
    let more = if diff.contains("\n… and ") { " and more" } else { "" };
    let lines = format!("+{} -{} lines{more}", count('+'), count('-'));
    match (fate, to) {
        (Some(Fate::Created), _) => format!("{path}: created, {lines}"),
        (Some(Fate::Deleted), _) => format!("{path}: deleted"),
        (_, Some(to)) if *changes == 0 => format!("{path}: moved to {}", ailang::plain(to, LONGEST_PATH)),
        (_, Some(to)) => format!("{path}: moved to {}, {lines}", ailang::plain(to, LONGEST_PATH)),
        (_, None) => format!("{path}: {changes} change{s}, {lines}"),
    }
}

/// How much of a path is shown.
const LONGEST_PATH: usize = 200;
