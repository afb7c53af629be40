//! `applyEdits`: writes edits.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{ApplyQuestion, ChangedFile, FileOperation, Operation};
use serde::Deserialize;

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::{from_wire, invalid};
use crate::row::{Code, with_host};
use crate::spelling::display_path;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("applyEdits(edits)", with_host(host, apply))
}

/// An edit as an agent may paste it; only its id is read.
#[derive(Clone, Debug, Deserialize)]
struct Named {
    id: String,
}

async fn apply(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let edits: Vec<Named> = invocation.arguments.read("edits")?;
    if edits.is_empty() {
        let failure = invalid("there is no edit to apply", "An edit comes of rename, codeActions or format.");
        return Err(Interrupt::from(failure.argument("edits")));
    }
    let edits = edits.into_iter().map(|it| it.id).collect();
    let answer = host.ask(Operation::Apply, &ApplyQuestion { edits }).await.map_err(from_wire)?;
    note_completeness(Operation::Apply, &invocation.notes, &answer.completeness);
    Ok(changed_files(&answer.files).into())
}

/// Returns the result of `applyEdits` for the files that were changed: a line each.
pub fn changed_files(files: &[ChangedFile]) -> String {
    if files.is_empty() {
        return "nothing to change".to_owned();
    }
    files.iter().map(line_of).collect::<Vec<_>>().join("\n")
}

/// Describes a change: `src/auth.rs: 3 changes`, `src/draw.rs -> src/paint.rs`, `src/new.rs: created`.
fn line_of(file: &ChangedFile) -> String {
    let ChangedFile { path, changes, fate, to } = file;
    let s = if *changes == 1 { "" } else { "s" };
    let (path, to) = (display_path(path), to.as_deref().map(display_path));
    match (fate, to) {
        (Some(FileOperation::Created), _) => format!("{path}: created"),
        (Some(FileOperation::Deleted), _) => format!("{path}: deleted"),
        (_, Some(to)) if *changes == 0 => format!("{path} -> {to}"),
        (_, Some(to)) => format!("{path} -> {to}: {changes} change{s}"),
        (_, None) => format!("{path}: {changes} change{s}"),
    }
}
