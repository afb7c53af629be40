//! Applies previewed edits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ide_protocol::{
    ApplyQuestion, ApplyResult, ChangedFile, Completeness, EditedTextsQuestion, EditedTextsResult,
    EditsQuestion, EditsResult, ErrorCode, FileOperation, FileTexts, IdeError, Operation, Reason, Source,
};

use super::handler::{Call, Handler};
use crate::blocking;
use crate::fallback::edits;
use crate::fallback::edits::{Editor, FileChange, Preview, WriteError, WriteOutcome};
use crate::fallback::session::Session;
use crate::fallback::workspace::buffers::Texts;

pub(crate) struct Edits;

impl Handler for Edits {
    const OPERATION: Operation = Operation::Edits;
    type Question = EditsQuestion;

    async fn answer(call: &Call, question: EditsQuestion) -> Result<EditsResult, IdeError> {
        edits(&call.session, &question)
    }
}

pub(crate) struct EditedTexts;

impl Handler for EditedTexts {
    const OPERATION: Operation = Operation::EditedTexts;
    type Question = EditedTextsQuestion;

    async fn answer(call: &Call, question: EditedTextsQuestion) -> Result<EditedTextsResult, IdeError> {
        call.blocking(move |session| edited_texts(session, &question)).await
    }
}

pub(crate) struct Apply;

impl Handler for Apply {
    const OPERATION: Operation = Operation::Apply;
    type Question = ApplyQuestion;

    async fn answer(call: &Call, question: ApplyQuestion) -> Result<ApplyResult, IdeError> {
        apply(Arc::clone(&call.session), &question, Arc::clone(&call.caller.editor)).await
    }
}

/// Applies the edits. Once started, writing continues even if the caller is cancelled.
async fn apply(
    session: Arc<Session>,
    request: &ApplyQuestion,
    editor: Arc<dyn Editor>,
) -> Result<ApplyResult, IdeError> {
    let files = together(&found(&session, &request.edits)?)?;
    let writing = tokio::spawn(async move {
        let _one_at_a_time = session.writing.lock().await;
        let (roots, program) = (session.roots.folders(), session.program());
        let began = SystemTime::now();
        let (texts, all) = (session.roots.texts(), files.clone());
        let before = blocking::spawn(move || texts_before(&all, &texts)).await;
        let written = edits::write(&files, roots, &*editor, Some(program)).await?;
        session.edit_log.add(began, before);
        Ok::<_, WriteError>(result(&files, written))
    });
    let stopped = |error| IdeError::new(ErrorCode::ServerFailed, format!("writing broke down: {error}"));
    Ok(writing.await.map_err(stopped)??)
}

/// Returns the texts that changes replace, and `None` where there is no file before; blocking.
fn texts_before(files: &[FileChange], texts: &Texts) -> Vec<(PathBuf, Option<String>)> {
    let mut found = Vec::new();
    for file in files.iter().filter(|it| !it.moves_folder()) {
        let Some(before) = file.before(texts) else { continue };
        let is_new = matches!(file.fate, edits::FileOperation::Created);
        let before = text(&before);
        let mut paths = file.paths().map(Path::to_owned);
        found.extend(paths.next().map(|it| (it, (!is_new).then_some(before))));
        found.extend(paths.map(|to| (to, None)));
    }
    found
}

/// Returns the previewed edits again.
fn edits(session: &Session, request: &EditsQuestion) -> Result<EditsResult, IdeError> {
    let previews = found(session, &request.edits)?;
    let edits = previews.iter().zip(&request.edits).map(|(it, id)| it.to_wire(id.clone()));
    Ok(EditsResult {
        completeness: Completeness::complete(Source("shown".into())),
        edits: edits.collect(),
        mentions: Vec::new(),
        mentioned: None,
    })
}

/// Returns the texts of the files that edits change; blocking.
fn edited_texts(session: &Session, request: &EditedTextsQuestion) -> Result<EditedTextsResult, IdeError> {
    let files = together(&found(session, &request.edits)?)?;
    let (texts, folders) = (session.roots.texts(), files.iter().find(|it| it.moves_folder()));
    if let Some(folder) = folders {
        let message = format!("`{}` is a folder that would move", folder.place.spelling);
        return Err(IdeError::new(ErrorCode::InvalidRequest, message).recovery("Apply this edit by itself."));
    }
    let each = files.iter().map(|it| {
        let before = it.before(&texts).ok_or_else(|| WriteError::Changed(it.place.spelling.clone()))?;
        let (fate, to) = it.wire_operation();
        let after = text(&it.applied(&before));
        Ok(FileTexts {
            path: it.place.spelling.clone(),
            before: (fate != Some(FileOperation::Created)).then(|| text(&before)),
            after: (fate != Some(FileOperation::Deleted)).then_some(after),
            to,
        })
    });
    let files = each.collect::<Result<_, WriteError>>()?;
    let completeness = Completeness::complete(Source("text".into()));
    Ok(EditedTextsResult { completeness, files })
}

/// Returns the text of a file's bytes, without a byte order mark.
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()
}

fn found(session: &Session, ids: &[String]) -> Result<Vec<Arc<Preview>>, IdeError> {
    let found = |id: &String| session.previews.find(id).ok_or_else(|| unknown(session, id));
    ids.iter().map(found).collect()
}

fn unknown(session: &Session, id: &str) -> IdeError {
    if session.offers.find(id).is_some() {
        let error =
            IdeError::new(ErrorCode::InvalidRequest, format!("`{id}` is a code action, and no edit yet"));
        return error
            .recovery(format!("applyEdits(preview(`{id}`)) takes it; preview(`{id}`) shows it first."));
    }
    IdeError::new(ErrorCode::NotFound, format!("there is no edit `{id}` in this session (any more)"))
        .recovery("Make the edit again, and apply that one.")
}

/// Merges the changes of several edits by file.
fn together(previews: &[Arc<Preview>]) -> Result<Vec<FileChange>, IdeError> {
    let mut files: BTreeMap<&str, FileChange> = BTreeMap::new();
    for file in previews.iter().flat_map(|it| &it.files) {
        match files.get_mut(file.place.spelling.as_str()) {
            None => drop(files.insert(&file.place.spelling, file.clone())),
            Some(same) if *same == *file => {}
            Some(other) => add(other, file)?,
        }
    }
    Ok(files.into_values().collect())
}

fn add(file: &mut FileChange, more: &FileChange) -> Result<(), IdeError> {
    let path = &file.place.spelling;
    if file.stamp != more.stamp || file.is_unsaved != more.is_unsaved {
        return Err(WriteError::Changed(path.clone()).into());
    }
    if file.fate != more.fate {
        let message =
            format!("two of the edits do different things with `{path}` itself; nothing was changed");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message)
            .recovery("Apply one, then make the other again."));
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

fn result(files: &[FileChange], written: WriteOutcome) -> ApplyResult {
    let WriteOutcome { by_editor, odd } = written;
    let file = |it: &FileChange| {
        let (fate, to) = it.wire_operation();
        ChangedFile { path: it.place.spelling.clone(), changes: it.count as u64, fate, to }
    };
    let source = Source(if by_editor { "editor".into() } else { "disk".into() });
    let odd = (!odd.is_empty()).then_some(Reason::NotAsWritten { paths: odd });
    ApplyResult { completeness: Completeness::with(source, odd), files: files.iter().map(file).collect() }
}
