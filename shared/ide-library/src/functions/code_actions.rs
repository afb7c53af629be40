//! `codeActions` and `preview`: what may be done about a place, and what one of it would change.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{EditsResult, Operation};
use serde::Deserialize;

use super::stretch::{Stretch, Within};
use super::{Code, asking, plain};
use crate::failure::{invalid, of_wire};
use crate::memory::Memory;
use crate::remark::{remark, remark_on};
use crate::{CodeActionsQuestion, TakeActionQuestion};

pub(crate) fn codes(host: &Arc<Memory>) -> Vec<Code> {
    vec![
        Implementation::of("codeActions(place, kind?)", asking(host, code_actions)),
        Implementation::of("preview(action)", asking(host, preview)),
    ]
}

/// A code action as an agent may paste it: all but its name is for reading.
#[derive(Clone, Debug, Deserialize)]
struct Named {
    id: String,
}

async fn code_actions(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let kind: Option<String> = invocation.arguments.read("kind")?;
    let Stretch { path, start, end } = Stretch::read(&host, &invocation, "place", Within::Name).await?;
    let kind = kind.map(|it| it.trim().trim_end_matches(".*").to_owned()).filter(|it| !it.is_empty());
    let question = CodeActionsQuestion { path, start, end, kind };
    let answer = host.code_actions(question).await.map_err(of_wire)?;
    remark(&invocation.notes, &answer);
    Ok(plain(&answer.actions))
}

pub(crate) async fn preview(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let Named { id } = invocation.arguments.read("action")?;
    let answer = host.take_action(TakeActionQuestion { action: id }).await.map_err(of_wire)?;
    only(Operation::TakeAction, &invocation, answer)
}

/// The one edit that was asked for.
pub(super) fn only(
    operation: Operation,
    invocation: &Invocation,
    answer: EditsResult,
) -> Result<Value, Interrupt> {
    remark_on(operation, &invocation.notes, &answer);
    match answer.edits.into_iter().next() {
        Some(edit) => Ok(plain(&edit)),
        None => Err(Interrupt::from(invalid("nothing would change", "There is nothing to apply."))),
    }
}
