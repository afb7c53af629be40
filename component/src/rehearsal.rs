//! What a program would change, found out before the user is asked whether it may: everything up to its first change is
//! done, which only reads, and the change is looked at instead of being made. What it allows once is what he was shown.

use std::sync::Arc;

use dialect::{Effect, Limits, Outcome, Program, Registry, Value};
use ide_protocol::{Edit, EditsResult, ErrorCode, IdeError, Operation};
use serde_json::json;

use crate::extension::Extensions;
use crate::permission::{Changes, Pass, is_cut};
use crate::upstream::Asker;

/// The one function whose arguments say what it changes.
const APPLY: &str = "applyEdits";

/// What came of it.
pub(crate) enum Rehearsed {
    /// It would change this; `None` when nobody can say what.
    Changes(Option<Shown>),
    /// It ends without changing anything.
    Ends(Outcome),
}

/// Edits that the user was shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// What they are called.
    ids: Vec<String>,
    edits: Vec<Edit>,
    /// A program that shows them all and changes nothing.
    preview: Option<String>,
}

impl Shown {
    /// Returns what the user is shown of them.
    pub(crate) fn changes(&self) -> Changes {
        Changes::new(self.edits.clone(), self.preview.clone())
    }

    /// Whether these are the same, however they are called: a program that makes its edits makes them anew when it runs.
    /// What is cut in a preview could be anything.
    fn are(&self, edits: &[Edit]) -> bool {
        let nameless = |it: &Edit| Edit { id: String::new(), ..it.clone() };
        let is_whole = |it: &Edit| !it.files.iter().any(is_cut);
        edits.iter().all(is_whole) && edits.iter().map(nameless).eq(self.edits.iter().map(nameless))
    }
}

/// Lets a program change what the user was shown, and nothing else.
///
/// # Errors
/// These are other edits, or nobody can say that they are not.
pub(crate) async fn check(shown: &Shown, edits: &[String], asker: &Asker) -> Result<(), IdeError> {
    if shown.ids == edits {
        return Ok(());
    }
    let now: Result<EditsResult, _> = asker.ask(Operation::Edits, &json!({ "edits": edits })).await;
    if now.is_ok_and(|it| shown.are(&it.edits)) {
        return Ok(());
    }
    let message = "this is not the change that the user allowed: nothing of it is made";
    Err(IdeError::new(ErrorCode::InvalidRequest, message).recovery(
        "Make the edits first, and send applyEdits with their ids: one call of it in a program, with all of them.",
    ))
}

/// Whether that is all that a program needs permission for.
pub(crate) fn is_for(program: &Program) -> bool {
    program.needs().iter().all(|it| it.callable == APPLY)
}

/// Rehearses a program that needs permission for changes alone.
pub(crate) async fn rehearse(source: &str, asker: &Arc<Asker>, extensions: &Extensions) -> Rehearsed {
    let pass = Pass::rehearsing();
    let registry = extensions.registry(Arc::clone(asker) as _, &pass);
    let Ok(program) = Program::parse(&registry, source, &Limits::default()) else {
        return Rehearsed::Changes(None); // it was read just now
    };
    let outcome = program.run(&registry, &Limits::default()).await;
    let Some(arguments) = pass.take_rehearsed() else { return Rehearsed::Ends(outcome) };
    let ids: Vec<String> = arguments.get("edits").map(ids).unwrap_or_default();
    let request = json!({ "edits": ids });
    let shown: Result<EditsResult, _> = asker.ask(Operation::Edits, &request).await;
    match shown {
        Ok(EditsResult { edits, .. }) => {
            let preview = preview(&registry, source);
            Rehearsed::Changes(Some(Shown { ids, edits, preview }))
        }
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

/// Returns the part of a program that shows what it would change: of ``applyEdits(rename(`a`, `b`))`` the inside.
fn preview(registry: &Registry, source: &str) -> Option<String> {
    let inside = source.trim().strip_prefix(APPLY)?.trim_start().strip_prefix('(')?.strip_suffix(')')?.trim();
    let is_name = inside.starts_with(['`', '"', '\'']);
    let program = Program::parse(registry, inside, &Limits::default()).ok()?;
    (!is_name && program.effect() != Effect::Writes).then(|| inside.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ide_protocol::FileEdit;

    fn edit(id: &str, path: &str, diff: &str) -> Edit {
        let file = FileEdit { path: path.into(), changes: 1, diff: diff.into(), fate: None, to: None };
        Edit { id: id.into(), title: "T".into(), kind: None, files: vec![file] }
    }

    #[test]
    fn edits_are_the_same_by_what_they_change() {
        let shown =
            Shown { ids: vec!["1".into()], edits: vec![edit("1", "a", "@@ 1\n-a\n+b")], preview: None };
        assert!(shown.are(&[edit("2", "a", "@@ 1\n-a\n+b")]));
        for other in [
            vec![],
            vec![edit("1", "b", "@@ 1\n-a\n+b")],
            vec![edit("1", "a", "@@ 1\n-a\n+c")],
            vec![edit("1", "a", "@@ 1\n-a\n+b"), edit("2", "a", "@@ 1\n-a\n+b")],
        ] {
            assert!(!shown.are(&other), "{other:?}");
        }
        let cut = "@@ 1\n-a\n+b\n… and 9 more";
        let shown = Shown { ids: vec!["1".into()], edits: vec![edit("1", "a", cut)], preview: None };
        assert!(!shown.are(&[edit("2", "a", cut)]), "what is cut may differ");
    }
}
