//! Makes changes that were shown before.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_protocol::{ApplyRequest, ApplyResult, ChangedFile, ErrorCode, IdeError, Source};

use crate::fallback::edits::{self, Editor, FileChange, Preview, Unwritten, Written};
use crate::fallback::session::Session;

/// Answers. Whatever becomes of the one who asked, what has begun is brought to its end.
pub(crate) async fn apply(
    session: Arc<Session>,
    request: &ApplyRequest,
    editor: Arc<dyn Editor>,
) -> Result<ApplyResult, IdeError> {
    let previews = request.edits.iter().map(|it| session.previews.find(it).ok_or_else(|| unknown(it)));
    let files = together(&previews.collect::<Result<Vec<_>, _>>()?)?;
    let writing = tokio::spawn(async move {
        let _one_at_a_time = session.writing.lock().await;
        let written = edits::write(&files, &*editor).await;
        written.map(|it| told(&files, it))
    });
    let stopped = |error| IdeError::new(ErrorCode::ServerFailed, format!("writing broke down: {error}"));
    Ok(writing.await.map_err(stopped)??)
}

fn unknown(id: &str) -> IdeError {
    IdeError::new(ErrorCode::NotFound, format!("there is no edit `{id}` in this session (any more)"))
        .recovery("Make the edit again, and apply that one.")
}

/// The changes of several edits, file by file.
fn together(previews: &[Arc<Preview>]) -> Result<Vec<FileChange>, IdeError> {
    let mut files: BTreeMap<&str, FileChange> = BTreeMap::new();
    for file in previews.iter().flat_map(|it| &it.files) {
        match files.get_mut(file.place.spelling.as_str()) {
            None => drop(files.insert(&file.place.spelling, file.clone())),
            Some(same) if same.changes == file.changes && same.stamp == file.stamp => {}
            Some(other) => add(other, file)?,
        }
    }
    Ok(files.into_values().collect())
}

fn add(file: &mut FileChange, more: &FileChange) -> Result<(), IdeError> {
    let path = &file.place.spelling;
    if file.stamp != more.stamp {
        return Err(Unwritten::Changed(path.clone()).into());
    }
    let changes = file.changes.iter().chain(&more.changes).cloned().collect();
    let Some(changes) = edits::in_order(changes) else {
        let message = format!("two of the edits change the same lines of `{path}`; nothing was changed");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message)
            .recovery("Apply one, then make the other again."));
    };
    file.changes = changes;
    file.count += more.count;
    Ok(())
}

fn told(files: &[FileChange], written: Written) -> ApplyResult {
    let Written { by_editor, odd } = written;
    let file = |it: &FileChange| ChangedFile { path: it.place.spelling.clone(), changes: it.count as u64 };
    let odd: Vec<_> = odd.iter().map(|it| format!("`{it}`")).collect();
    let note =
        format!("{} on disk is not what was written: unsaved, or changed by the editor", odd.join(", "));
    ApplyResult {
        complete: odd.is_empty(),
        source: Source(if by_editor { "editor".into() } else { "disk".into() }),
        note: Some(note).filter(|_| !odd.is_empty()),
        files: files.iter().map(file).collect(),
    }
}
