//! `getSelection`: what the user has selected, in the editor or by attaching it to the prompt.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Choice, Failure, Interrupt, Invocation, Question, Value};
use futures::{StreamExt, stream};
use ide_protocol::SelectionResult;

use super::{Code, asking, plain};
use crate::SelectionQuestion;
use crate::excerpt::lines_of;
use crate::failure::{invalid, nothing_selected, of_wire};
use crate::memory::Memory;
use crate::remark::remark;
use crate::selection::{Selection, between};
use crate::symbol::last_line;

/// How many selections are looked at the same time.
const AT_A_TIME: usize = 8;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("getSelection(at?)", asking(host, get_selection))
}

async fn get_selection(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let at: Option<String> = invocation.arguments.read("at")?;
    let answer = host.selection(SelectionQuestion::default()).await.map_err(of_wire)?;
    if answer.selections.is_empty() {
        return Err(nothing_selected(answer.note.as_deref()).into());
    }
    remark(&invocation.notes, &answer);
    let is_attached = answer.source.0 == "prompt";
    let found = distinct(&host, answer, is_attached).await?;
    let chosen = choose(found, at.as_deref())?;
    if let Some(note) = chosen.note {
        invocation.notes.add(note);
    }
    Ok(plain(&chosen.selection))
}

/// A selection and what is odd about it.
#[derive(Clone, Debug)]
struct Found {
    selection: Selection,
    note: Option<String>,
}

/// Each once, in order.
async fn distinct(
    host: &Arc<Memory>,
    answer: SelectionResult,
    is_attached: bool,
) -> Result<Vec<Found>, Failure> {
    let each = answer.selections.into_iter().map(|it| found(Arc::clone(host), it, is_attached));
    let mut each = stream::iter(each).buffered(AT_A_TIME);
    let mut all: Vec<Found> = Vec::new();
    while let Some(found) = each.next().await {
        let found = found?;
        if all.iter().all(|it| it.selection != found.selection) {
            all.push(found);
        }
    }
    Ok(all)
}

/// What an editor selects is known exactly. Of what is attached, the lines are known, and where in them the text
/// stands has to be seen.
async fn found(host: Arc<Memory>, it: ide_protocol::Selection, is_attached: bool) -> Result<Found, Failure> {
    let ide_protocol::Selection { path, start, end, text, external } = it;
    let (is_text_known, is_cursor) = (text.is_some(), start == end);
    let selected = text.unwrap_or_default();
    let mut selection = Selection { path, start, end, selected, external };
    if is_cursor || is_text_known && !is_attached {
        return Ok(Found { selection, note: None });
    }
    let last = last_line(&selection.range());
    let answer = match lines_of(&host, &selection.path, start.line, last).await {
        Ok(answer) => answer,
        Err(_) if is_text_known => return Ok(Found { selection, note: None }),
        Err(failure) => return Err(failure),
    };
    if answer.lines.is_empty() && !is_text_known {
        return Err(beyond(&selection, answer.line_count));
    }
    selection.path.clone_from(&answer.path);
    selection.external = answer.external;
    if !is_text_known {
        selection.selected = between(&answer.lines, start, end);
        return Ok(Found { selection, note: None });
    }
    Ok(match selection.stands_at(&answer.lines).as_slice() {
        [only] => Found { selection: selection.moved_to(*only), note: None },
        [] => Found { note: Some(differs(&selection)), selection },
        several => Found { note: Some(stands_often(&selection, several.len())), selection },
    })
}

fn differs(selection: &Selection) -> String {
    format!(
        "What was selected does not stand at {} of the file as it is now: the user has not saved it, or it has \
         changed since.",
        selection.spell()
    )
}

fn stands_often(selection: &Selection, count: usize) -> String {
    let place = selection.spell();
    format!("What was selected stands {count} times at {place}; which of them was selected is not known.")
}

fn beyond(selection: &Selection, count: u64) -> Failure {
    let path = &selection.path;
    invalid(
        format!("the user attached {}, and `{path}` has {count} lines", selection.spell()),
        format!("The file has changed since; source(`{path}`) shows it as it is."),
    )
}

/// The only one or the one at that place, else the question which.
fn choose(found: Vec<Found>, at: Option<&str>) -> Result<Found, Interrupt> {
    let spelled = spelled(&found);
    let Some(at) = at.map(str::trim) else {
        return match <[Found; 1]>::try_from(found) {
            Ok([only]) => Ok(only),
            Err(several) => Err(which(&several, &spelled)),
        };
    };
    let (mut exact, mut near) = (Vec::new(), Vec::new());
    for (it, name) in found.iter().zip(&spelled) {
        if name == at {
            exact.push(it.clone());
        } else if is_at(&it.selection, at) {
            near.push(it.clone());
        }
    }
    match <[Found; 1]>::try_from(if exact.is_empty() { near } else { exact }) {
        Ok([only]) => Ok(only),
        Err(none) if none.is_empty() => Err(not_selected(at, &spelled).into()),
        Err(_) => Err(which(&found, &spelled)),
    }
}

/// Whether a path or a line is enough to mean this selection.
fn is_at(selection: &Selection, at: &str) -> bool {
    let Selection { path, start, .. } = selection;
    let at = at.trim_start_matches("./");
    at == path
        || at == format!("{path}:{}", start.line)
        || at == format!("{path}:{}:{}", start.line, start.column)
}

/// How each is called; those of the same place are numbered.
fn spelled(found: &[Found]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for it in found {
        let name = it.selection.spell();
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|it| !names.contains(it));
        names.push(free.expect("the numbers never end"));
    }
    names
}

fn which(found: &[Found], spelled: &[String]) -> Interrupt {
    let choice = |(it, name): (&Found, &String)| Choice {
        description: it.selection.describe(),
        value: name.as_str().into(),
    };
    Interrupt::Ambiguous(Question {
        question: format!("There are {} selections. Which one is meant?", found.len()),
        argument: Some("at".to_owned()),
        choices: found.iter().zip(spelled).map(choice).collect(),
    })
}

fn not_selected(at: &str, spelled: &[String]) -> Failure {
    let there: Vec<_> = spelled.iter().map(|it| format!("`{it}`")).collect();
    invalid(format!("nothing is selected at `{at}`"), format!("Selected is {}.", there.join(", ")))
        .argument("at")
}
