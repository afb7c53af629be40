//! `getSelection`: the user's selection in the editor, or attached to the prompt.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Choice, Failure, Interrupt, Invocation, Question, Value};
use futures::{StreamExt, stream};
use ide_protocol::{Operation, SelectionQuestion, SelectionResult};

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::excerpt::lines_of;
use crate::failure::{from_wire, invalid, nothing_selected};
use crate::row::{Code, plain, with_host};
use crate::selection::{Selection, between};
use crate::symbol::last_line;

/// The maximum number of selections that are checked concurrently.
const AT_A_TIME: usize = 8;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("getSelection(at?)", with_host(host, get_selection))
}

async fn get_selection(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let at: Option<String> = invocation.arguments.read("at")?;
    let answer = host.ask(Operation::Selection, &SelectionQuestion::default()).await.map_err(from_wire)?;
    if answer.selections.is_empty() {
        return Err(nothing_selected(answer.completeness.note().as_deref()).into());
    }
    note_completeness(Operation::Selection, &invocation.notes, &answer.completeness);
    let is_attached = answer.completeness.source.0 == "prompt";
    let found = distinct(&host, answer, is_attached).await?;
    let chosen = choose(found, at.as_deref())?;
    if let Some(note) = chosen.note {
        invocation.notes.add(note);
    }
    Ok(plain(&chosen.selection))
}

/// A selection, with a note if it differs from the file.
#[derive(Clone, Debug)]
struct CheckedSelection {
    selection: Selection,
    note: Option<String>,
}

/// Removes duplicates and keeps the order.
async fn distinct(
    host: &Arc<CachedHost>,
    answer: SelectionResult,
    is_attached: bool,
) -> Result<Vec<CheckedSelection>, Failure> {
    let each = answer.selections.into_iter().map(|it| check(Arc::clone(host), it, is_attached));
    let mut each = stream::iter(each).buffered(AT_A_TIME);
    let mut all: Vec<CheckedSelection> = Vec::new();
    while let Some(found) = each.next().await {
        let found = found?;
        if all.iter().all(|it| it.selection != found.selection) {
            all.push(found);
        }
    }
    Ok(all)
}

/// Checks a selection against its file. That of an editor is exact. For one attached to the prompt only the lines are
/// known; its text is searched in them.
async fn check(
    host: Arc<CachedHost>,
    it: ide_protocol::Selection,
    is_attached: bool,
) -> Result<CheckedSelection, Failure> {
    let ide_protocol::Selection { path, start, end, text, external } = it;
    let (is_text_known, is_cursor) = (text.is_some(), start == end);
    let selected = text.unwrap_or_default();
    let mut selection = Selection { path, start, end, selected, external };
    if is_cursor || is_text_known && !is_attached {
        return Ok(CheckedSelection { selection, note: None });
    }
    let last = last_line(&selection.range());
    let answer = match lines_of(&host, &selection.path, start.line, last).await {
        Ok(answer) => answer,
        Err(_) if is_text_known => return Ok(CheckedSelection { selection, note: None }),
        Err(failure) => return Err(failure),
    };
    if answer.lines.is_empty() && !is_text_known {
        return Err(beyond(&selection, answer.line_count));
    }
    selection.path.clone_from(&answer.path);
    selection.external = answer.external;
    if !is_text_known {
        selection.selected = between(&answer.lines, start, end);
        return Ok(CheckedSelection { selection, note: None });
    }
    Ok(match selection.stands_at(&answer.lines).as_slice() {
        [only] => CheckedSelection { selection: selection.moved_to(*only), note: None },
        [] => CheckedSelection { note: Some(differs(&selection)), selection },
        several => CheckedSelection { note: Some(stands_often(&selection, several.len())), selection },
    })
}

fn differs(selection: &Selection) -> String {
    format!(
        "What was selected does not stand at {} of the file as it is now: the user has not saved it, or it has \
         changed since.",
        selection.display()
    )
}

fn stands_often(selection: &Selection, count: usize) -> String {
    let place = selection.display();
    format!("What was selected stands {count} times at {place}; which of them was selected is not known.")
}

fn beyond(selection: &Selection, count: u64) -> Failure {
    let path = &selection.path;
    invalid(
        format!("the user attached {}, and `{path}` has {count} lines", selection.display()),
        format!("The file has changed since; source(`{path}`) shows it as it is."),
    )
}

/// Returns the only selection or the one at a place, or else the question which is meant.
fn choose(found: Vec<CheckedSelection>, at: Option<&str>) -> Result<CheckedSelection, Interrupt> {
    let labels = numbered_labels(&found);
    let Some(at) = at.map(str::trim) else {
        return match <[CheckedSelection; 1]>::try_from(found) {
            Ok([only]) => Ok(only),
            Err(several) => Err(which(&several, &labels)),
        };
    };
    let (mut exact, mut near) = (Vec::new(), Vec::new());
    for (it, name) in found.iter().zip(&labels) {
        if name == at {
            exact.push(it.clone());
        } else if is_at(&it.selection, at) {
            near.push(it.clone());
        }
    }
    match <[CheckedSelection; 1]>::try_from(if exact.is_empty() { near } else { exact }) {
        Ok([only]) => Ok(only),
        Err(none) if none.is_empty() => Err(not_selected(at, &labels).into()),
        Err(_) => Err(which(&found, &labels)),
    }
}

/// Returns true if a path or a line refers to this selection.
fn is_at(selection: &Selection, at: &str) -> bool {
    let Selection { path, start, .. } = selection;
    let at = at.trim_start_matches("./");
    at == path
        || at == format!("{path}:{}", start.line)
        || at == format!("{path}:{}:{}", start.line, start.column)
}

/// Returns a name for each selection; those at the same place are numbered.
fn numbered_labels(found: &[CheckedSelection]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for it in found {
        let name = it.selection.display();
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|it| !names.contains(it));
        names.push(free.expect("the numbers never end"));
    }
    names
}

fn which(found: &[CheckedSelection], labels: &[String]) -> Interrupt {
    let choice = |(it, name): (&CheckedSelection, &String)| Choice {
        description: it.selection.describe(),
        value: name.as_str().into(),
    };
    Interrupt::Ambiguous(Question {
        question: format!("There are {} selections. Which one is meant?", found.len()),
        argument: Some("at".to_owned()),
        choices: found.iter().zip(labels).map(choice).collect(),
    })
}

fn not_selected(at: &str, labels: &[String]) -> Failure {
    let there: Vec<_> = labels.iter().map(|it| format!("`{it}`")).collect();
    invalid(format!("nothing is selected at `{at}`"), format!("Selected is {}.", there.join(", ")))
        .argument("at")
}
