//! The facade's operations about changes: previews, and applying them.

use std::sync::Arc;

use futures::future::join;
use ide_protocol::{
    ApplyQuestion, ApplyResult, CodeActionsQuestion, CodeActionsResult, Completeness, DraftQuestion,
    EditedTextsQuestion, EditedTextsResult, EditsQuestion, EditsResult, ErrorCode, FormatQuestion, Gap,
    IdeError, OrganizeImportsQuestion, RenameQuestion, Request, TakeActionQuestion,
};

use super::Fallback;
use super::edits::Editor;
use super::operations::{apply, by_name_workspace, code_actions, dispatch, texts};
use super::session::completeness::Qualified;
use super::source::deadlines::OnProgress;
use super::source::languages::Language;
use crate::blocking;

impl Fallback {
    /// Previews a rename; changes nothing. Dropping the future cancels the request.
    ///
    /// # Errors
    /// No server can answer, none is ready in time, the place is unknown, or the symbol cannot be renamed so.
    pub async fn rename(
        &self,
        request: Request<RenameQuestion>,
        on_progress: OnProgress,
    ) -> Result<EditsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let question = request.question;
        let ask = async |question: RenameQuestion| {
            let at = question.target.at.as_ref().expect("one that is found has a place");
            let language = dispatch::language_of(&session, &at.path)?;
            dispatch::rename(&session, language, question, within, &on_progress).await
        };
        if question.target.at.is_some() {
            return ask(question).await;
        }
        let (target, found) =
            by_name_workspace::one(&session, question.target.clone(), within, &on_progress).await?;
        Ok(ask(RenameQuestion { target, ..question }).await?.of_found(found))
    }

    /// Lists the code actions for a place. Dropping the future cancels the request.
    ///
    /// # Errors
    /// No server can answer, none is ready in time, or the place is unknown.
    pub async fn code_actions(
        &self,
        request: Request<CodeActionsQuestion>,
        on_progress: OnProgress,
    ) -> Result<CodeActionsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let language = dispatch::language_of_file(&session, &request.question.path)?;
        let request = Arc::new(request.question);
        let ask = |language| dispatch::code_actions(&session, language, &request, within, &on_progress);
        let Some(stylist) = language.stylist else { return ask(language).await };
        match join(ask(language), ask(stylist)).await {
            (Ok(own), Ok(more)) => Ok(code_actions::together(vec![own, more])),
            // One that is not installed is missed by nobody.
            (Ok(own), Err(error)) if error.kind == ErrorCode::Unavailable => Ok(own),
            (Ok(some), Err(error)) | (Err(error), Ok(some)) => {
                let note = some
                    .completeness
                    .note
                    .map_or(error.message.clone(), |it| format!("{it}; {}", error.message));
                Ok(CodeActionsResult {
                    completeness: Completeness {
                        complete: false,
                        note: Some(note),
                        gap: Some(Gap::Failed),
                        ..some.completeness
                    },
                    ..some
                })
            }
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Previews a code action that was listed in this session; changes nothing. Dropping the future cancels
    /// the request.
    ///
    /// # Errors
    /// It is not known, is not available any more, or needs more than changes of files.
    pub async fn take_action(
        &self,
        request: Request<TakeActionQuestion>,
        on_progress: OnProgress,
    ) -> Result<EditsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let offer = session.offers.find(&request.question.action).ok_or_else(|| {
            let message =
                format!("there is no code action `{}` in this session (any more)", request.question.action);
            IdeError::new(ErrorCode::NotFound, message).recovery("List the actions again with codeActions.")
        })?;
        dispatch::take_action(&session, &offer, within, &on_progress).await
    }

    /// Previews formatting a file; changes nothing. Dropping the future cancels the request.
    ///
    /// # Errors
    /// No server formats such files, none is ready in time, or the file cannot be read.
    pub async fn format(
        &self,
        request: Request<FormatQuestion>,
        on_progress: OnProgress,
    ) -> Result<EditsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let language = dispatch::language_of_file(&session, &request.question.path)?;
        let request = Arc::new(request.question);
        first_that_can(language, |it| dispatch::format(&session, it, &request, within, &on_progress)).await
    }

    /// Previews organizing the imports of a file; changes nothing. Dropping the future cancels the request.
    ///
    /// # Errors
    /// No server does that in such files, none is ready in time, or the file cannot be read.
    pub async fn organize_imports(
        &self,
        request: Request<OrganizeImportsQuestion>,
        on_progress: OnProgress,
    ) -> Result<EditsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let language = dispatch::language_of_file(&session, &request.question.path)?;
        let request = Arc::new(request.question);
        let ask = |it| dispatch::organize_imports(&session, it, &request, within, &on_progress);
        first_that_can(language, ask).await
    }

    /// Previews giving files new texts; changes nothing.
    ///
    /// # Errors
    /// A file has another text than the one that the edit is for, or may not be changed.
    pub async fn draft(&self, request: Request<DraftQuestion>) -> Result<EditsResult, IdeError> {
        let session = self.session(&request.envelope.session_id)?;
        blocking::spawn(move || texts::draft(&session, &request.question)).await
    }

    /// Returns the texts of the files that edits of this session change, before and after.
    ///
    /// # Errors
    /// An edit is not known, or a file has changed since.
    pub async fn edited_texts(
        &self,
        request: Request<EditedTextsQuestion>,
    ) -> Result<EditedTextsResult, IdeError> {
        let session = self.session(&request.envelope.session_id)?;
        blocking::spawn(move || apply::edited_texts(&session, &request.question)).await
    }

    /// Returns edits that were previewed in this session.
    ///
    /// # Errors
    /// One is not known.
    pub fn edits(&self, request: &Request<EditsQuestion>) -> Result<EditsResult, IdeError> {
        apply::edits(&*self.session(&request.envelope.session_id)?, &request.question)
    }

    /// Applies edits that were previewed in this session. Once it writes, it goes on even if the future is
    /// dropped.
    ///
    /// # Errors
    /// An edit is not known, a file has changed since, or cannot be written. Nothing is changed then, or the
    /// error names what is.
    pub async fn apply(
        &self,
        request: Request<ApplyQuestion>,
        editor: Arc<dyn Editor>,
    ) -> Result<ApplyResult, IdeError> {
        let session = self.session(&request.envelope.session_id)?;
        apply::apply(session, &request.question, editor).await
    }

    /// Returns `true` if that session has previewed one of these edits, or listed one of these actions.
    pub fn has_shown(&self, session: &str, ids: &[&str]) -> bool {
        let session = self.session(session);
        session.is_ok_and(|session| {
            ids.iter().any(|id| session.previews.find(id).is_some() || session.offers.find(id).is_some())
        })
    }
}

/// Asks the language's formatter if it has a separate one, otherwise its server.
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
