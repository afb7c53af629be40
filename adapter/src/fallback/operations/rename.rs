//! What giving a symbol another name would change.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use ide_protocol::{EditsResult, ErrorCode, IdeError, Line, Point, RenameRequest, Source};

use super::corrections::missed_rename_sites::Mentioned;
use super::corrections::redeclared_members::defined_above;
use super::corrections::{
    exports, false_references, macro_pasting, missed_rename_sites, new_name, pytest_fixtures,
    same_name_symbols, separate_programs,
};
use super::lookup::mentions::home;
use super::lookup::target::{Subject, nothing_there, subjects};
use super::unrenamed_mentions;
use crate::fallback::edits;
use crate::fallback::edits::{Plan, Preview, Previews};
use crate::fallback::servers::run::convert::workspace_edit;
use crate::fallback::servers::run::convert::workspace_edit::{RawChange, RawStep};
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::Roots;

/// The names of the definitions of what gets another name.
type Home = BTreeSet<(PathBuf, Point)>;

/// Answers.
pub(crate) async fn rename(
    asking: &QueryContext,
    roots: &Arc<Roots>,
    previews: &Previews,
    request: &RenameRequest,
) -> Result<EditsResult, Problem> {
    let server = asking.server.name();
    let subject = subject(asking, roots, request).await?;
    let Subject { name: old, .. } = &subject;
    let home = home(asking, &subject).await?;
    let own = [(subject.path.clone(), subject.point)].into();
    let (mut plan, mut spared) = planned(asking, roots, (&subject, &home), (&own, &request.new_name)).await?;
    let mentioned = Mentioned::of(asking, roots, &subject, &home).await;
    let mut left = mentioned.left_by((asking, roots), &subject, &plan.files).await?;
    if !left.uses.is_empty() {
        // A server that was asked about them knows them by now, mostly.
        let all = own.into_iter().chain(left.reassigned).collect();
        (plan, spared) = planned(asking, roots, (&subject, &home), (&all, &request.new_name)).await?;
        left = mentioned.left_by((asking, roots), &subject, &plan.files).await?;
    }
    let left_out = plan.describe_left_out();
    let files = plan.files;
    let kept = unrenamed_mentions::kept(roots, old, &files, asking.deadline).await;
    let taken = new_name::check(&request.new_name, &files, roots.texts()).await?;
    asking.check_unchanged().await?;
    let mut notes: Vec<String> = taken.into_iter().chain(left_out).collect();
    notes.extend(same_name_symbols::told(asking, roots, &subject, &home).await);
    notes.extend(missed_rename_sites::family(asking, roots, &subject, &files).await?);
    notes.extend(left.told(asking, roots, &subject).await?);
    notes.extend(macro_pasting::told(asking, roots, (&subject, &home), &files).await?);
    notes.extend(defined_above(asking, roots, &subject).await?);
    notes.extend(pytest_fixtures::told(asking, roots, &subject).await?);
    if !kept.is_all || !mentioned.is_all {
        notes.push(format!("not every file could be searched for `{old}`"));
    }
    let is_complete = notes.is_empty();
    notes.extend(spared);
    let title = format!("Rename `{old}` to `{}`", request.new_name);
    let preview = Preview { title, kind: None, files };
    Ok(EditsResult {
        complete: is_complete,
        source: Source(format!("language-server:{server}")),
        note: Some(notes.join("; ")).filter(|it| !it.is_empty()),
        edits: vec![previews.keep("rename", preview)],
        mentions: kept.lines,
        mentioned: Some(kept.total),
    })
}

/// The symbol, when it is one of the workspace's.
async fn subject(asking: &QueryContext, roots: &Roots, request: &RenameRequest) -> Result<Subject, Problem> {
    if !asking.provides("renameProvider") {
        let name = asking.server.name();
        let error = IdeError::new(ErrorCode::Unavailable, format!("{name} renames nothing"));
        return Err(error.recovery("brief(findReferences(`NAME`)) lists the places to change.").into());
    }
    let mut subjects = subjects(asking, roots, &request.target).await?.into_iter();
    let subject = subjects.next().ok_or_else(|| nothing_there(&request.target))?;
    let name = &subject.name;
    if !roots.hold(&subject.path) {
        let message =
            format!("`{name}` is defined outside of the workspace, in {}", roots.spell(&subject.path));
        return Err(invalid(message, "What is defined there is not yours to rename.").into());
    }
    if *name == request.new_name {
        return Err(invalid(format!("it is called `{name}` already"), "Give another name.").into());
    }
    if !new_name::may_follow(&request.new_name, name) {
        return Err(invalid(format!("`{}` is no name", request.new_name), "Give one word.").into());
    }
    Ok(subject)
}

fn invalid(message: String, advice: &str) -> IdeError {
    IdeError::new(ErrorCode::InvalidRequest, message).recovery(advice)
}

/// What the server would change at those places, to the byte, and what of that is left out, for a note.
async fn planned(
    asking: &QueryContext,
    roots: &Arc<Roots>,
    (subject, home): (&Subject, &Home),
    (places, new): (&Home, &str),
) -> Result<(Plan, Vec<String>), Problem> {
    let refused = |error: AskError| refused(asking, &subject.name, new, error);
    if !asking.can_rename(&subject.path, subject.point).await.map_err(refused)? {
        let message = format!("{} says that `{}` cannot be renamed", asking.server.name(), subject.name);
        return Err(invalid(message, "Rename its definition, if that is in the workspace.").into());
    }
    let mut steps: Vec<RawStep> = Vec::new();
    for (path, point) in places {
        let edit = asking.rename(path, *point, new).await.map_err(refused)?;
        let more = workspace_edit::steps(&edit).map_err(edits::PlanError::from).map_err(IdeError::from)?;
        let more: Vec<_> = more.into_iter().filter(|it| !steps.contains(it)).collect();
        steps.extend(more);
    }
    let (steps, others) = of_this_program(asking, roots, (subject, home), steps).await?;
    let steps = without_mistaken(asking, roots, (subject, home), steps).await?;
    let (steps, exported) = exports::through(asking, roots, (&subject.name, new), steps).await?;
    let (steps, spared) = without_keywords(asking, roots, &subject.name, steps).await;
    let spared = [others, exported, spared].into_iter().flatten().collect();
    let plan = asking.plan(roots, steps).await?;
    if plan.files.is_empty() {
        plan.whole().map_err(IdeError::from)?;
        let message = format!("{} would change nothing for it", asking.server.name());
        return Err(invalid(message, "brief(findReferences(`NAME`)) lists the places to change.").into());
    }
    Ok((plan, spared))
}

/// Where these change something.
async fn changed(asking: &QueryContext, steps: &[RawStep]) -> BTreeSet<(PathBuf, Extent)> {
    let mut changed = BTreeSet::new();
    for step in steps {
        changed.extend(place(asking, step).await);
    }
    changed
}

/// Where one changes something, if it changes a text.
async fn place(asking: &QueryContext, step: &RawStep) -> Option<(PathBuf, Extent)> {
    let RawStep::Change(RawChange { at, .. }) = step else { return None };
    Some((at.path.clone(), asking.extent(at).await?))
}

/// Without the changes to local variables of that name, which the server takes for the symbol.
async fn without_mistaken(
    asking: &QueryContext,
    roots: &Roots,
    (subject, home): (&Subject, &Home),
    steps: Vec<RawStep>,
) -> Result<Vec<RawStep>, Problem> {
    let changed = changed(asking, &steps).await;
    let mistaken = false_references::uses((asking, roots), subject, home, &changed).await?;
    let mut kept = Vec::new();
    for step in steps {
        if place(asking, &step).await.is_none_or(|it| !mistaken.contains(&it)) {
            kept.push(step);
        }
    }
    Ok(kept)
}

/// Without the changes to a symbol of the same name in another program, which the server takes for this one.
async fn of_this_program(
    asking: &QueryContext,
    roots: &Roots,
    (subject, home): (&Subject, &Home),
    mut steps: Vec<RawStep>,
) -> Result<(Vec<RawStep>, Option<String>), Problem> {
    let changed = changed(asking, &steps).await;
    let others = separate_programs::others(asking, subject, home, &changed).await?;
    steps.retain(|step| !matches!(step, RawStep::Change(change) if others.contains(&change.at.path)));
    Ok((steps, separate_programs::told(asking, roots, &subject.name, &others)))
}

/// Without the changes of words that are the language's own: a server that renames a module may take the `super` that leads
/// to it for its name.
async fn without_keywords(
    asking: &QueryContext,
    roots: &Roots,
    old: &str,
    steps: Vec<RawStep>,
) -> (Vec<RawStep>, Option<String>) {
    let keywords = asking.server.setup.language.keywords;
    if keywords.contains(&old) {
        return (steps, None);
    }
    let (mut kept, mut spared) = (Vec::new(), Vec::new());
    for step in steps {
        match keyword(asking, &step).await.filter(|(word, _)| keywords.contains(&word.as_str())) {
            Some((word, line)) => {
                let path = edits::paths(std::slice::from_ref(&step)).next().map(|it| roots.spell(it));
                spared.push(format!("`{word}` at {}:{line}", path.unwrap_or_default()));
            }
            None => kept.push(step),
        }
    }
    let name = asking.server.name();
    let told = || format!("{name} would replace the keyword {} too, which is left out", spared.join(", "));
    let note = (!spared.is_empty()).then(told);
    (kept, note)
}

/// The text that a step replaces, and its line, where it is a part of one.
async fn keyword(asking: &QueryContext, step: &RawStep) -> Option<(String, Line)> {
    let (path, extent) = place(asking, step).await?;
    Some((asking.text(&path).await?.word(extent)?, extent.start.line))
}

/// What a server refuses, it says why: the name is none, or clashes, or the symbol is not to be renamed.
fn refused(asking: &QueryContext, old: &str, new: &str, error: AskError) -> Problem {
    match error {
        AskError::Refused { message, .. } => {
            let server = asking.server.name();
            let message = format!("{server} refuses to rename `{old}` to `{new}`: {message}");
            invalid(message, "Give another name, or name another symbol.").into()
        }
        error => error.into(),
    }
}
