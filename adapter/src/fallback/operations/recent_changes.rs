//! Finds the texts that files had before the agent's edits.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ide_protocol::{
    Completeness, EditedTextsResult, ErrorCode, FileTexts, IdeError, Listing, Operation, Reason,
    RecentChangesQuestion, Source,
};

use super::handler::{Call, Handler};
use crate::fallback::edits::edit_log::ChangedText;
use crate::fallback::session::Session;
use crate::fallback::source::languages;
use crate::fallback::source::languages::Language;
use crate::fallback::syntactic::text_of;
use crate::fallback::workspace::stamp::{RACY, Stamp};
use crate::fallback::workspace::walk;

/// The maximum number of files named in a reason.
const NAMED: usize = 5;

pub(crate) struct RecentChanges;

impl Handler for RecentChanges {
    const OPERATION: Operation = Operation::RecentChanges;
    type Question = RecentChangesQuestion;

    async fn answer(call: &Call, question: RecentChangesQuestion) -> Result<EditedTextsResult, IdeError> {
        call.blocking(move |session| recent_changes(session, &question)).await
    }
}

/// Returns the texts of the session's changed files; blocking.
fn recent_changes(
    session: &Session,
    question: &RecentChangesQuestion,
) -> Result<EditedTextsResult, IdeError> {
    let roots = &session.roots;
    let now = |path: &Path| text_of(roots, path).filter(|it| !it.lossy).map(|it| it.as_str().to_owned());
    let (changed, began) = session.edit_log.since(question.since, now).ok_or_else(|| {
        let message = "no edit of this session is known since then";
        IdeError::new(ErrorCode::NotFound, message).recovery(
            "Known are edits by this tool, through the editor, and those that the agent reports. diagnostics() has all problems.",
        )
    })?;
    let (here, elsewhere): (Vec<_>, Vec<_>) = changed.into_iter().partition(|it| roots.contains(&it.path));
    if let (true, Some(file)) = (here.is_empty(), elsewhere.first()) {
        let path = roots.display_path(&file.path);
        let error = IdeError::new(ErrorCode::NotFound, "the edits since then are in another work tree");
        return Err(error.recovery(format!("Name it: path=`{path}`.")));
    }
    let unknown = unknown_changes(session, &here, began);
    let file = |it: ChangedText| FileTexts {
        path: roots.display_path(&it.path),
        before: it.before,
        after: it.after,
        to: None,
    };
    let source = Source("text".into());
    Ok(EditedTextsResult {
        completeness: Completeness::with(source, unknown),
        files: here.into_iter().map(file).collect(),
    })
}

/// Returns the reason for files of the same languages that were written since then, but by no edit that is known.
fn unknown_changes(session: &Session, known: &[ChangedText], began: SystemTime) -> Option<Reason> {
    let roots = &session.roots;
    let changed: BTreeSet<_> = known.iter().map(|it| &it.path).collect();
    let languages: BTreeSet<_> =
        known.iter().filter_map(|it| languages::of_file(&it.path)).map(|it| it.id).collect();
    let languages = languages::rows().filter(|it| languages.contains(it.id));
    let folders: Vec<_> = walk::outermost(roots.folders()).collect();
    let files = |language: &'static Language| -> Vec<PathBuf> {
        folders.iter().flat_map(|it| walk::files(language, it, it, roots.left_out())).collect()
    };
    // The times of files lag behind the clock.
    let is_written_since = |path: &PathBuf| {
        let Some(written) = Stamp::read(path).map(|it| it.modified) else { return false };
        // A known edit just before looks as young.
        let is_known = |(began, ended)| written + RACY > began && written <= ended;
        written + RACY > began && !session.edit_log.last_write(path).is_some_and(is_known)
    };
    let others = languages.flat_map(files).filter(|it| !changed.contains(it) && is_written_since(it));
    let others: Vec<_> = others.map(|it| roots.display_path(&it)).collect();
    (!others.is_empty()).then(|| Reason::UnknownChanges { paths: Listing::of(others, NAMED) })
}
