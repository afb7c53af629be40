//! Whole texts of files, and edits that are given as texts.

use ide_protocol::{
    Completeness, DraftQuestion, EditsResult, ErrorCode, FileTexts, IdeError, Operation, Source,
    TextQuestion, TextResult,
};

use super::handler::{Call, Handler};
use super::lines::no_text;
use crate::fallback::edits::{Preview, WantedText, plan_texts};
use crate::fallback::session::Session;
use crate::fallback::source::text;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum size of a text, in bytes.
const LARGEST: usize = 4 * 1024 * 1024;

pub(crate) struct Text;

impl Handler for Text {
    const OPERATION: Operation = Operation::Text;
    type Question = TextQuestion;

    async fn answer(call: &Call, question: TextQuestion) -> Result<TextResult, IdeError> {
        call.blocking(move |session| text(&session.roots, &question)).await
    }
}

pub(crate) struct Draft;

impl Handler for Draft {
    const OPERATION: Operation = Operation::Draft;
    type Question = DraftQuestion;

    async fn answer(call: &Call, question: DraftQuestion) -> Result<EditsResult, IdeError> {
        call.blocking(move |session| draft(session, &question)).await
    }
}

/// Returns the text of a file; blocks on file access.
fn text(roots: &SessionFolders, request: &TextQuestion) -> Result<TextResult, IdeError> {
    let place = roots.resolve_exactly(&request.path)?;
    let text = match roots.texts().get(&place.path) {
        Some(text) => text::Text::clone(text),
        None => text::Text::read(&place.path).map_err(|error| no_text(&place, error))?,
    };
    let path = place.spelling;
    if text.lossy {
        let message = format!("`{path}` is no UTF-8, so that it has no exact text");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message)
            .recovery(format!("lines(`{path}`, 1, 100) shows it, with replacement characters.")));
    }
    let text = text.as_str().to_owned();
    if text.len() > LARGEST {
        let message = format!("`{path}` has {} MiB of text; the limit is 4 MiB", text.len() / 1024 / 1024);
        return Err(IdeError::new(ErrorCode::InvalidRequest, message).recovery(format!(
            "lines(`{path}`, 1, 1000) has a part; search(`{path}`, `PATTERN`) finds lines."
        )));
    }
    let completeness = Completeness::complete(Source("text".into()));
    Ok(TextResult { completeness, path, text })
}

/// Previews giving files new texts; blocks on file access.
fn draft(session: &Session, request: &DraftQuestion) -> Result<EditsResult, IdeError> {
    let roots = &session.roots;
    let wanted = request.files.iter().map(|it| wanted(roots, it)).collect::<Result<_, _>>()?;
    let files = plan_texts(roots, wanted)?;
    let preview = Preview { title: request.title.clone(), kind: None, files };
    let edits =
        if preview.files.is_empty() { Vec::new() } else { vec![session.previews.keep("draft", preview)] };
    let completeness = Completeness::complete(Source("text".into()));
    Ok(EditsResult { completeness, edits, mentions: Vec::new(), mentioned: None })
}

fn wanted(roots: &SessionFolders, file: &FileTexts) -> Result<WantedText, IdeError> {
    let FileTexts { path, before, after, to } = file;
    if before.is_none() && after.is_none() {
        let message = format!("`{path}` has neither a text before nor one after the edit");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message));
    }
    let to = to.as_deref().map(|it| roots.resolve_new(it)).transpose()?;
    let path = match before {
        Some(_) => roots.resolve_exactly(path)?,
        None => roots.resolve_new(path)?,
    };
    Ok(WantedText { path: path.path, before: before.clone(), after: after.clone(), to: to.map(|it| it.path) })
}
