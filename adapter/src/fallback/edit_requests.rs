//! The operations about changes: what would change, and making it.

use std::sync::Arc;

use futures::future::join;
use ide_protocol::{
    ApplyRequest, ApplyResult, CodeActionsRequest, CodeActionsResult, EditsRequest, EditsResult, ErrorCode,
    FormatRequest, IdeError, OrganizeImportsRequest, RenameRequest, TakeActionRequest,
};

use super::Fallback;
use super::edits::Editor;
use super::operations::{anywhere, apply, code_actions, question};
use super::session::completeness::Qualified;
use super::source::deadlines::{Deadlines, OnProgress};
use super::source::languages::Language;

impl Fallback {
    /// What renaming would change; it changes nothing. Dropping the future cancels the question.
    ///
    /// # Errors
    /// Nobody can answer, is ready in time, or knows the place, or it cannot be renamed so.
    pub async fn rename(
        &self,
        request: RenameRequest,
        on_progress: OnProgress,
    ) -> Result<EditsResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Deadlines::new(request.deadline_ms, request.wait_ms);
        let ask = async |request: RenameRequest| {
            let at = request.target.at.as_ref().expect("one that is found has a place");
            let language = question::language_of(&at.path)?;
            question::rename(&session, language, request, within, &on_progress).await
        };
        if request.target.at.is_some() {
            return ask(request).await;
        }
        let (target, found) = anywhere::one(&session, request.target.clone(), within, &on_progress).await?;
        Ok(ask(RenameRequest { target, ..request }).await?.of_found(found))
    }

    /// What may be done about a place. Dropping the future cancels the question.
    ///
    /// # Errors
    /// Nobody can answer, is ready in time, or knows the place.
    pub async fn code_actions(
        &self,
        request: CodeActionsRequest,
        on_progress: OnProgress,
    ) -> Result<CodeActionsResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Deadlines::new(request.deadline_ms, request.wait_ms);
        let language = question::language_of_file(&session, &request.path)?;
        let request = Arc::new(request);
        let ask = |language| question::code_actions(&session, language, &request, within, &on_progress);
        let Some(stylist) = language.stylist else { return ask(language).await };
        match join(ask(language), ask(stylist)).await {
            (Ok(own), Ok(more)) => Ok(code_actions::together(vec![own, more])),
            // One that is not installed is missed by nobody.
            (Ok(own), Err(error)) if error.kind == ErrorCode::Unavailable => Ok(own),
            (Ok(some), Err(error)) | (Err(error), Ok(some)) => {
                let note = some.note.map_or(error.message.clone(), |it| format!("{it}; {}", error.message));
                Ok(CodeActionsResult { complete: false, note: Some(note), ..some })
            }
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// What an action that was offered in this session would change; it changes nothing. Dropping the future cancels the
    /// question.
    ///
    /// # Errors
    /// It is not known, is offered no more, or cannot be taken by changing files alone.
    pub async fn take_action(
        &self,
        request: TakeActionRequest,
        on_progress: OnProgress,
    ) -> Result<EditsResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Deadlines::new(request.deadline_ms, request.wait_ms);
        let offer = session.offers.find(&request.action).ok_or_else(|| {
            let message = format!("there is no code action `{}` in this session (any more)", request.action);
            IdeError::new(ErrorCode::NotFound, message).recovery("List the actions again with codeActions.")
        })?;
        question::take_action(&session, &offer, within, &on_progress).await
    }

    /// What laying out a file would change; it changes nothing. Dropping the future cancels the question.
    ///
    /// # Errors
    /// Nobody lays out such files, is ready in time, or can read it.
    pub async fn format(
        &self,
        request: FormatRequest,
        on_progress: OnProgress,
    ) -> Result<EditsResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Deadlines::new(request.deadline_ms, request.wait_ms);
        let language = question::language_of_file(&session, &request.path)?;
        let request = Arc::new(request);
        first_that_can(language, |it| question::format(&session, it, &request, within, &on_progress)).await
    }

    /// What putting the imports of a file in order would change; it changes nothing. Dropping the future cancels the
    /// question.
    ///
    /// # Errors
    /// Nobody does that in such files, is ready in time, or can read it.
    pub async fn organize_imports(
        &self,
        request: OrganizeImportsRequest,
        on_progress: OnProgress,
    ) -> Result<EditsResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Deadlines::new(request.deadline_ms, request.wait_ms);
        let language = question::language_of_file(&session, &request.path)?;
        let request = Arc::new(request);
        let ask = |it| question::organize_imports(&session, it, &request, within, &on_progress);
        first_that_can(language, ask).await
    }

    /// What edits that were shown in this session would change, once more.
    ///
    /// # Errors
    /// One is not known.
    pub fn edits(&self, request: &EditsRequest) -> Result<EditsResult, IdeError> {
        apply::edits(&*self.session(&request.session_id)?, request)
    }

    /// Makes changes that were shown in this session. Once it writes, it goes on even when the future is dropped.
    ///
    /// # Errors
    /// An edit is not known, a file has changed since, or cannot be written: then nothing is changed, or the error says
    /// what is.
    pub async fn apply(
        &self,
        request: ApplyRequest,
        editor: Arc<dyn Editor>,
    ) -> Result<ApplyResult, IdeError> {
        let session = self.session(&request.session_id)?;
        apply::apply(session, &request, editor).await
    }

    /// Whether it has shown one of these edits, or offered one of these actions, in that session.
    pub fn has_shown(&self, session: &str, ids: &[&str]) -> bool {
        let session = self.session(session);
        session.is_ok_and(|session| {
            ids.iter().any(|id| session.previews.find(id).is_some() || session.offers.find(id).is_some())
        })
    }
}

/// Asks the language's own formatter, where it has one beside its server, and else its server.
async fn first_that_can<F>(
    language: &'static Language,
    ask: impl Fn(&'static Language) -> F,
) -> Result<EditsResult, IdeError>
where
    F: Future<Output = Result<EditsResult, IdeError>>,
{
    let Some(stylist) = language.stylist else { return ask(language).await };
    match ask(stylist).await {
        // What is missing is the formatter, whatever the server says.
        Err(missing) if missing.kind == ErrorCode::Unavailable => ask(language).await.map_err(|_| missing),
        answer => answer,
    }
}
