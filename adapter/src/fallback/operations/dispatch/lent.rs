//! Sends a query to a server that the editor lends. An answer counts if the editor passed every request on, and has the
//! texts that the answer is about.

use std::path::Path;
use std::sync::Arc;

use futures::future::join_all;
use ide_protocol::IdeError;
use tokio::time::timeout_at;

use super::{TRIES, compute, reserved};
use crate::blocking;
use crate::fallback::operations::handler::Call;
use crate::fallback::operations::server_query::ServerQuery;
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::completeness::Qualified;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::session::serving::Serving;
use crate::fallback::source::deadlines::Deadlines;
use crate::fallback::source::languages::Language;
use crate::fallback::source::text::Text;

/// Asks the editor's server of a language; `None` if it lends none, or no answer counts. One of our own is asked then, and
/// for a while at once if the editor failed.
pub(super) async fn ask<Q: ServerQuery>(
    call: &Call,
    language: &'static Language,
    query: &Q,
) -> Option<Result<Q::Answer, IdeError>> {
    let (session, lender) = (&call.session, call.caller.lender.as_ref().filter(|_| Q::IS_LENT)?);
    // It has no texts but the editor's.
    if session.roots.buffers().has_staged() {
        return None;
    }
    let within = call.within.within(session.lent_patience());
    let asked = async {
        let serving = session.lent_server(language, lender).await?;
        for _ in 0..TRIES {
            match ask_once(call, language, query, (&serving, within)).await {
                Err(Problem::FilesChanged) => {}
                answer => return Some(answer),
            }
        }
        None
    };
    let reason = match timeout_at(within.deadline.into(), asked).await {
        Ok(Some(Ok(answer))) => return Some(Ok(answer)),
        Ok(Some(Err(Problem::Reported(error)))) => return Some(Err(error)),
        Ok(Some(Err(Problem::Ask(error @ (AskError::NotForwarded(_) | AskError::TimedOut))))) => error,
        Ok(Some(Err(Problem::Ask(_) | Problem::FilesChanged)) | None) => return None,
        Err(_) => AskError::TimedOut,
    };
    tracing::warn!(language = language.name, %reason, "the editor's language server is left for a while");
    session.leave_lent_server(language).await;
    None
}

async fn ask_once<Q: ServerQuery>(
    call: &Call,
    language: &'static Language,
    query: &Q,
    (serving, within): (&Serving, Deadlines),
) -> Result<Q::Answer, Problem> {
    let (session, on_progress) = (&call.session, &call.caller.on_progress);
    let begun = QueryContext::begin(serving, &session.roots, within, on_progress).await;
    let Ok((mut asking, _)) = begun else { return Err(Problem::Ask(AskError::TimedOut)) };
    // The user may have changed any file since the last question.
    asking.file_cache().invalidate();
    asking.sees_hidden = call.sees_hidden;
    let answer = compute(call, language, query, &asking).await;
    if let Some(error) = asking.editor_error() {
        return Err(error.into());
    }
    if !are_texts_of_editor(call, &asking).await {
        return Err(Problem::FilesChanged);
    }
    let answer = answer?;
    let openness = query.openness(&answer);
    Ok(reserved(session, &asking, openness, answer.noting(asking.left_unsaid())))
}

/// Returns whether the editor has the texts that were read for an answer. One that differs counts from now on.
///
/// A file with lone carriage returns is taken for one that differs: what the editor sends of them is not known.
async fn are_texts_of_editor(call: &Call, asking: &QueryContext) -> bool {
    let roots = &call.session.roots;
    let own = |path: &Path| roots.folders().iter().any(|it| path.starts_with(it));
    let read = asking.texts_read().into_iter().filter(|(path, _)| own(path));
    let compared = read.map(async |(path, text)| {
        if text.as_ref().is_some_and(|it| it.index().has_lone_returns()) {
            return false;
        }
        // A file that the editor does not give is as it is on disk.
        let Some(Ok(shown)) = call.caller.editor.read(&path).await else { return true };
        if text.is_some_and(|it| it.as_str() == Text::from(shown.clone()).as_str()) {
            return true;
        }
        call.caller.editor.keep_reading(&path);
        let roots = Arc::clone(roots);
        blocking::spawn(move || roots.buffers().set_editor_text(&path, shown)).await;
        false
    });
    join_all(compared).await.into_iter().all(|it| it)
}
