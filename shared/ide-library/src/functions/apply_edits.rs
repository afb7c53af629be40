//! `applyEdits`: makes edits.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{ChangedFile, Fate};
use serde::Deserialize;

use super::{Code, asking};
use crate::ApplyQuestion;
use crate::failure::{invalid, of_wire};
use crate::memory::Memory;
use crate::remark::remark;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("applyEdits(edits)", asking(host, apply))
}

/// An edit as an agent may paste it: all but its name is for reading.
#[derive(Clone, Debug, Deserialize)]
struct Named {
    id: String,
}

async fn apply(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let edits: Vec<Named> = invocation.arguments.read("edits")?;
    if edits.is_empty() {
        let failure = invalid("there is no edit to apply", "An edit comes of rename, codeActions or format.");
        return Err(Interrupt::from(failure.argument("edits")));
    }
    let edits = edits.into_iter().map(|it| it.id).collect();
    let answer = host.apply(ApplyQuestion { edits }).await.map_err(of_wire)?;
    remark(&invocation.notes, &answer);
    if answer.files.is_empty() {
        return Ok("nothing to change".into());
    }
    Ok(answer.files.iter().map(line_of).collect::<Vec<_>>().join("\n").into())
}

/// `src/auth.rs: 3 changes`, `src/draw.rs -> src/paint.rs`, `src/new.rs: created`
fn line_of(file: &ChangedFile) -> String {
    let ChangedFile { path, changes, fate, to } = file;
    let s = if *changes == 1 { "" } else { "s" };
    match (fate, to) {
        (Some(Fate::Created), _) => format!("{path}: created"),
        (Some(Fate::Deleted), _) => format!("{path}: deleted"),
        (_, Some(to)) if *changes == 0 => format!("{path} -> {to}"),
        (_, Some(to)) => format!("{path} -> {to}: {changes} change{s}"),
        (_, None) => format!("{path}: {changes} change{s}"),
    }
}
