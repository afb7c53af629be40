//! The dry run of a program that changes files, before the user is asked for permission. It runs everything up to
//! the first change, which only reads, and looks at that change instead of making it. A permission for one call
//! covers only the edits that the user was shown.

use std::sync::Arc;

use dialect::{Effect, Limits, Outcome, Program, Registry, Value};
use ide_protocol::{
    EditedTextsQuestion, EditedTextsResult, EditsResult, ErrorCode, FileTexts, IdeError, Operation,
};
use serde_json::json;

use crate::acp::upstream::CallClient;
use crate::extension::Extensions;
use crate::permission::shown_edits::ShownEdits;
use crate::permission::{CallPermit, Changes};

/// The only function whose arguments say what it changes.
pub(crate) const APPLY: &str = "applyEdits";

/// The result of a dry run.
pub(crate) enum DryRun {
    /// The edits that the program would make; `None` when they are not known.
    Changes(Option<ShownEdits>),
    /// The outcome of a program that ends without changing anything.
    Ends(Outcome),
}

/// Checks that a program applies the edits that the user was shown.
///
/// # Errors
/// The edits differ, or cannot be compared.
pub(crate) async fn check(shown: &ShownEdits, edits: &[String], client: &CallClient) -> Result<(), IdeError> {
    if shown.ids == edits {
        return Ok(());
    }
    let now: Result<EditsResult, _> = client.ask(Operation::Edits, &json!({ "edits": edits })).await;
    if now.is_ok_and(|it| shown.are(&it.edits)) {
        return Ok(());
    }
    let message = "these are not the edits that the user was shown and allowed, so none of them is made";
    Err(IdeError::new(ErrorCode::InvalidRequest, message).recovery(
        "Make the edits first. Then send a program with one call of applyEdits that has all of their ids.",
    ))
}

/// Returns whether applying edits is all that a program needs permission for.
pub(crate) fn applies_to(program: &Program) -> bool {
    program.needs().iter().all(|it| it.callable == APPLY)
}

/// Runs a program that needs permission for edits alone, up to its first change.
pub(crate) async fn dry_run(program: &Program, client: &Arc<CallClient>, extensions: &Extensions) -> DryRun {
    let permit = CallPermit::dry_run();
    let registry = extensions.registry(Arc::clone(client) as _, &permit);
    let outcome = program.run(&registry, &Limits::default()).await;
    let Some(arguments) = permit.take_first_arguments() else { return DryRun::Ends(outcome) };
    let ids: Vec<String> = arguments.get("edits").map(ids).unwrap_or_default();
    let request = json!({ "edits": ids });
    let shown: Result<EditsResult, _> = client.ask(Operation::Edits, &request).await;
    match shown {
        Ok(EditsResult { edits, .. }) => {
            let preview = preview(&registry, program.source());
            DryRun::Changes(Some(ShownEdits { ids, edits, preview }))
        }
        Err(error) => {
            tracing::debug!(%error, "what would change is not known");
            DryRun::Changes(None)
        }
    }
}

/// Returns the texts of the files that edits change, before and after all of them. There are none where they are not
/// known, or too many.
pub(crate) async fn texts(shown: &ShownEdits, client: &CallClient) -> Vec<FileTexts> {
    if !Changes::may_show_texts(&shown.edits) {
        return Vec::new();
    }
    let question = EditedTextsQuestion { edits: shown.ids.clone() };
    let texts: Result<EditedTextsResult, _> = client.ask(Operation::EditedTexts, &question).await;
    texts.map(|it| it.files).unwrap_or_default()
}

/// Returns the ids of edits, and ignores every other field that an agent sends.
fn ids(edits: &Value) -> Vec<String> {
    let edits = edits.to_json();
    let each = edits.as_array().into_iter().flatten();
    each.filter_map(|it| Some(it["id"].as_str()?.to_owned())).collect()
}

/// Returns the part of a program that shows its edits and makes none: the inside of ``applyEdits(rename(`a`,
/// `b`))``.
fn preview(registry: &Registry, source: &str) -> Option<String> {
    let inside = source.trim().strip_prefix(APPLY)?.trim_start().strip_prefix('(')?.strip_suffix(')')?.trim();
    let is_name = inside.starts_with(['`', '"', '\'']);
    let program = Program::parse(registry, inside, &Limits::default()).ok()?;
    (!is_name && program.effect() != Effect::Writes).then(|| inside.to_owned())
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Edit, FileEdit};

    use super::*;

    fn edit(id: &str, path: &str, diff: &str) -> Edit {
        let file =
            FileEdit { path: path.into(), changes: 1, diff: diff.into(), cut: 0, fate: None, to: None };
        Edit { id: id.into(), title: "T".into(), kind: None, files: vec![file] }
    }

    #[test]
    fn edits_are_the_same_by_what_they_change() {
        let shown =
            ShownEdits { ids: vec!["1".into()], edits: vec![edit("1", "a", "@@ 1\n-a\n+b")], preview: None };
        assert!(shown.are(&[edit("2", "a", "@@ 1\n-a\n+b")]));
        for other in [
            vec![],
            vec![edit("1", "b", "@@ 1\n-a\n+b")],
            vec![edit("1", "a", "@@ 1\n-a\n+c")],
            vec![edit("1", "a", "@@ 1\n-a\n+b"), edit("2", "a", "@@ 1\n-a\n+b")],
        ] {
            assert!(!shown.are(&other), "{other:?}");
        }
        let cut = |id: &str| {
            let mut edit = edit(id, "a", "@@ 1\n-a\n+b\n… and 9 more");
            edit.files[0].cut = 9;
            edit
        };
        let shown = ShownEdits { ids: vec!["1".into()], edits: vec![cut("1")], preview: None };
        assert!(!shown.are(&[cut("2")]), "what is cut may differ");
    }
}
