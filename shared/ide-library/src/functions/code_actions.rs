//! `codeActions` and `preview`: the code actions at a place, and the edit of one.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{CodeActionsQuestion, EditsResult, Operation, TakeActionQuestion};
use serde::Deserialize;

use super::file_part::{DefinitionPart, FilePart};
use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::{from_wire, invalid};
use crate::row::{Code, plain, plain_edit, with_host};

pub(crate) fn codes(host: &Arc<CachedHost>) -> Vec<Code> {
    vec![
        Implementation::of("codeActions(place, kind?)", with_host(host, code_actions)),
        Implementation::of("preview(action)", with_host(host, preview)),
    ]
}

/// A code action as an agent may paste it; only its id is read.
#[derive(Clone, Debug, Deserialize)]
struct Named {
    id: String,
}

async fn code_actions(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let kind: Option<String> = invocation.arguments.read("kind")?;
    let FilePart { path, start, end } =
        FilePart::read(&host, &invocation, "place", DefinitionPart::Name).await?;
    let kind = kind.map(|it| it.trim().trim_end_matches(".*").to_owned()).filter(|it| !it.is_empty());
    let question = CodeActionsQuestion { path, start, end, kind };
    let answer = host.ask(Operation::CodeActions, &question).await.map_err(from_wire)?;
    note_completeness(Operation::CodeActions, &invocation.notes, &answer.completeness);
    Ok(plain(&answer.actions))
}

pub(crate) async fn preview(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let Named { id } = invocation.arguments.read("action")?;
    let answer =
        host.ask(Operation::TakeAction, &TakeActionQuestion { action: id }).await.map_err(from_wire)?;
    only(Operation::TakeAction, &invocation, answer)
}

/// Returns the one edit.
pub(super) fn only(
    operation: Operation,
    invocation: &Invocation,
    answer: EditsResult,
) -> Result<Value, Interrupt> {
    note_completeness(operation, &invocation.notes, &answer.completeness);
    match answer.edits.into_iter().next() {
        Some(edit) => Ok(plain_edit(edit)),
        None => Err(Interrupt::from(invalid("nothing would change", "There is nothing to apply."))),
    }
}
