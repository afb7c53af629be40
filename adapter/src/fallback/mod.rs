//! Answers IDE operations with language servers that are found and started for the workspace.
//!
//! A [`session`] detects the languages of its folders and finds a server for each ([`servers::find`]), by the
//! profiles in [`source::languages`] and the user's settings. It leases the server from the
//! [`servers::run::pool`], which shares servers between sessions with the same projects. A
//! [`servers::run::server`] restarts its process when it ends.
//!
//! An answer stays true by these steps, in the order of a request through [`operations`]:
//!
//! 1. It waits until the server is ready ([`servers::run::readiness`]): a loading server answers "nothing",
//!    with success.
//! 2. Every file is compared with the server's state of it, and the server is notified of differences
//!    ([`servers::run::documents`]). Texts of the editor take precedence over the disk
//!    ([`workspace::buffers`]).
//! 3. The request is sent ([`session::query_context`]), and retried while the server reports that files are
//!    changing.
//! 4. The answer is compared with a text scan of the sources ([`workspace::word_scan`]): missing definitions
//!    and mentions, and files that are not loaded. Remaining doubts are reported in the answer.
//! 5. If a file changed in the meantime, the request starts over; if the server ended, it is retried once.
//!
//! Only [`servers::run::convert`] knows how LSP counts. `search` and `lines` need no server.

mod doctor;
mod edit_requests;
mod edits;
mod operations;
mod servers;
mod session;
mod source;
mod syntactic;
mod trust;
mod workspace;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use confinement::Origin;
pub use doctor::{LanguageReport, MissingServer, Report, ServerReport, examine, find_server};
pub use edits::{Editor, detached_write};
use ide_protocol::{
    DefinitionsQuestion, DefinitionsResult, DescriptionQuestion, DescriptionResult, DiagnosticsQuestion,
    DiagnosticsResult, Envelope, ErrorCode, ExportsQuestion, ExportsResult, FileDefinitionsQuestion,
    FileDefinitionsResult, FilesQuestion, FilesResult, Hierarchy, HierarchyQuestion, HierarchyResult,
    IdeError, ImportersQuestion, ImportsQuestion, ImportsResult, LinesQuestion, LinesResult, MatchesQuestion,
    MatchesResult, MembersQuestion, MembersResult, Navigation, OutlineQuestion, OutlineResult,
    ReferencesQuestion, ReferencesResult, Request, SearchQuestion, SearchResult, SymbolsQuestion,
    SymbolsResult, TextQuestion, TextResult,
};
pub use operations::corrections::{CorrectionRow, corrections};
use operations::{
    by_name_workspace, dispatch, exports, file_definitions, files, imports, lines, matches,
    search as search_operation, texts,
};
pub use servers::find::config::{CacheLookups, Config, Health, SwitchedOff, wall};
pub use servers::find::confined::{ConfinedCommand, Widening, confine, grounds};
pub use servers::find::settings::{SettingsError, user_settings};
use servers::run::pool::Pool;
use session::Session;
use session::completeness::Qualified;
use source::deadlines::Deadlines;
pub use source::deadlines::OnProgress;
pub use trust::level::Level;
use trust::store::TrustDecisions;
pub use trust::store::{AskTrust, Consent, Decision, TrustStore};
use workspace::buffers;
use workspace::buffers::Buffers;
pub use workspace::index::store::IndexStore;

use crate::blocking;
use crate::lock::lock;

/// Returns the folder of the user's caches, `$XDG_CACHE_HOME/dialect`. It may not be there yet.
pub fn cache_folder() -> Option<PathBuf> {
    Some(crate::xdg_dirs::cache()?.join("dialect"))
}

/// A pending write of the editor.
#[derive(Debug)]
pub struct Write(buffers::EditorWrite);

/// The time that an edit may take to be written when everything else ends.
const LAST_WRITE: Duration = Duration::from_secs(5);

/// The fallback of one adapter: sessions and the servers that they share.
#[derive(Debug)]
pub struct Fallback {
    config: Config,
    pool: Arc<Pool>,
    buffers: Buffers,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    trusts: Arc<TrustDecisions>,
}

impl Fallback {
    /// Creates a fallback without sessions and servers.
    pub fn new(config: Config) -> Self {
        let buffers = Buffers::default();
        let pool = Pool::new(config.linger, buffers.clone());
        let trusts =
            Arc::new(TrustDecisions::new(config.level, config.usual_level(), config.trust_store.clone()));
        Self { config, pool, buffers, sessions: Mutex::default(), trusts }
    }

    /// Returns the time a request waits before the user sees the reason.
    pub(crate) fn patience(&self) -> Duration {
        self.config.patience
    }

    /// Opens a session: finds its languages and starts the servers of the two largest in the background.
    /// Returns at once. Opening it again with other roots replaces them.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn open_session(&self, session: &str, roots: Vec<PathBuf>) {
        let (pool, buffers) = (Arc::clone(&self.pool), self.buffers.clone());
        let trusts = Arc::clone(&self.trusts);
        let opened = Session::new(roots, self.config.clone(), trusts, pool, buffers);
        let started = Arc::clone(&opened);
        tokio::spawn(async move {
            started.start().await;
        });
        let mut sessions = lock(&self.sessions);
        let _replaced = sessions.insert(session.to_owned(), opened);
    }

    /// Sets the way to ask a session's user for trust in its folders; the first call counts.
    pub fn ask_trust_with(&self, session: &str, ask: AskTrust) {
        if let Ok(session) = self.session(session)
            && self.config.asks_for_trust
        {
            session.ask_trust_with(ask);
        }
    }

    /// Closes a session; its servers are stopped some time after their last session.
    pub fn close_session(&self, session: &str) {
        lock(&self.sessions).remove(session);
    }

    /// Answers; dropping the future cancels the request, in the language server too.
    ///
    /// # Errors
    /// No server can answer, none is ready in time, or the place is unknown.
    pub async fn definitions(
        &self,
        request: Request<DefinitionsQuestion>,
        on_progress: OnProgress,
    ) -> Result<DefinitionsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let target = Arc::new(request.question.target);
        match &target.at {
            None => by_name_workspace::definitions(&session, &target, within, &on_progress).await,
            Some(at) => {
                let language = dispatch::language_of(&session, &at.path)?;
                dispatch::definitions(&session, language, &target, None, within, &on_progress)
                    .await
                    .map(|it| it.result)
            }
        }
    }

    /// Answers; dropping the future cancels the request, in the language server too.
    ///
    /// # Errors
    /// No server can answer, none is ready in time, or the place is unknown.
    pub async fn references(
        &self,
        request: Request<ReferencesQuestion>,
        on_progress: OnProgress,
    ) -> Result<ReferencesResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let question = request.question;
        match &question.target.at {
            None => by_name_workspace::references(&session, question, within, &on_progress).await,
            Some(at) => {
                let language = dispatch::language_of(&session, &at.path)?;
                dispatch::references(&session, language, question, within, &on_progress).await
            }
        }
    }

    /// Answers; dropping the future cancels the request, in the language server too.
    ///
    /// # Errors
    /// No server can answer, none is ready in time, the place is unknown, or the server lacks this
    /// navigation.
    pub async fn navigate(
        &self,
        way: Navigation,
        request: Request<DefinitionsQuestion>,
        on_progress: OnProgress,
    ) -> Result<DefinitionsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let target = request.question.target;
        match &target.at {
            None => by_name_workspace::navigation(&session, way, target, within, &on_progress).await,
            Some(at) => {
                let language = dispatch::language_of(&session, &at.path)?;
                dispatch::navigation(&session, language, way, target, within, &on_progress).await
            }
        }
    }

    /// Answers; dropping the future cancels the request, in the language server too.
    ///
    /// # Errors
    /// No server can answer, none is ready in time, the place is unknown, or the server lacks this hierarchy.
    pub async fn hierarchy(
        &self,
        way: Hierarchy,
        request: Request<HierarchyQuestion>,
        on_progress: OnProgress,
    ) -> Result<HierarchyResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let HierarchyQuestion { target, depth } = request.question;
        let ask = |target| dispatch::hierarchy(&session, way, target, depth, within, &on_progress);
        match &target.at {
            None => {
                let (target, found) = by_name_workspace::one(&session, target, within, &on_progress).await?;
                Ok(ask(target).await?.of_found(found))
            }
            Some(_) => ask(target).await,
        }
    }

    /// Answers; dropping the future cancels the request, in the language server too.
    ///
    /// # Errors
    /// No server can answer, none is ready in time, or the place is unknown.
    pub async fn description(
        &self,
        request: Request<DescriptionQuestion>,
        on_progress: OnProgress,
    ) -> Result<DescriptionResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let target = request.question.target;
        match &target.at {
            None => by_name_workspace::description(&session, target, within, &on_progress).await,
            Some(at) => {
                let language = dispatch::language_of(&session, &at.path)?;
                dispatch::description(&session, language, target, within, &on_progress).await
            }
        }
    }

    /// Answers; dropping the future cancels the request, in the language server too.
    ///
    /// # Errors
    /// There is no such file, no server can answer, or none is ready in time.
    pub async fn outline(
        &self,
        request: Request<OutlineQuestion>,
        on_progress: OnProgress,
    ) -> Result<OutlineResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        dispatch::outline(&session, request.question.path, within, &on_progress).await
    }

    /// Answers from the syntax, and about a file of code without a known syntax from the outline of its server; dropping
    /// the future stops the walk.
    ///
    /// # Errors
    /// There is no such path, nothing is known of its language, or no definition can have the kind.
    pub async fn file_definitions(
        &self,
        request: Request<FileDefinitionsQuestion>,
        on_progress: OnProgress,
    ) -> Result<FileDefinitionsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        let question = request.question;
        if file_definitions::needs_server(&session.roots, &question.path) {
            let outline = dispatch::outline(&session, question.path.clone(), within, &on_progress).await?;
            return file_definitions::of_outline(outline, &question);
        }
        file_definitions::file_definitions(Arc::clone(&session.roots), question, within.deadline).await
    }

    /// Answers from the syntax.
    ///
    /// # Errors
    /// The target is not defined at a place, or is no type; or the syntax of its language is not known.
    pub async fn members(&self, request: Request<MembersQuestion>) -> Result<MembersResult, IdeError> {
        let (session, Deadlines { deadline, .. }) = self.begin(&request.envelope)?;
        let target = request.question.target;
        let Some(at) = &target.at else {
            return Err(IdeError::new(
                ErrorCode::InvalidRequest,
                "`members` needs the place of a definition",
            ));
        };
        let language = dispatch::language_of(&session, &at.path)?;
        syntactic::members(&session.roots, language, target, deadline).await
    }

    /// Answers from the syntax.
    ///
    /// # Errors
    /// There is no such module, or the exports of its language are not known.
    pub async fn exports(&self, request: Request<ExportsQuestion>) -> Result<ExportsResult, IdeError> {
        let (session, Deadlines { deadline, .. }) = self.begin(&request.envelope)?;
        exports::exports(Arc::clone(&session.roots), request.question, deadline).await
    }

    /// Answers from the syntax.
    ///
    /// # Errors
    /// There is no such file, or the imports of its language are not known.
    pub async fn imports(&self, request: Request<ImportsQuestion>) -> Result<ImportsResult, IdeError> {
        let session = self.session(&request.envelope.session_id)?;
        imports::imports(Arc::clone(&session.roots), request.question).await
    }

    /// Answers from the syntax; dropping the future stops the walk.
    ///
    /// # Errors
    /// There is no such path, and no import of the workspace names such a package.
    pub async fn importers(&self, request: Request<ImportersQuestion>) -> Result<ImportsResult, IdeError> {
        let (session, Deadlines { deadline, .. }) = self.begin(&request.envelope)?;
        imports::importers(Arc::clone(&session.roots), request.question, deadline).await
    }

    /// Answers; dropping the future cancels the request, in the language servers too.
    ///
    /// # Errors
    /// There is no such path, no server can answer, or none is ready in time.
    pub async fn symbols(
        &self,
        request: Request<SymbolsQuestion>,
        on_progress: OnProgress,
    ) -> Result<SymbolsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        by_name_workspace::symbols(&session, request.question, within, &on_progress).await
    }

    /// Answers; dropping the future cancels the request, in the language servers too.
    ///
    /// # Errors
    /// There is no such path, no server can answer, or none is ready in time.
    pub async fn diagnostics(
        &self,
        request: Request<DiagnosticsQuestion>,
        on_progress: OnProgress,
    ) -> Result<DiagnosticsResult, IdeError> {
        let (session, within) = self.begin(&request.envelope)?;
        by_name_workspace::diagnostics(&session, request.question.path, within, &on_progress).await
    }

    /// Answers; dropping the future stops the walk.
    ///
    /// # Errors
    /// The glob does not parse or leaves the workspace.
    pub async fn files(&self, request: Request<FilesQuestion>) -> Result<FilesResult, IdeError> {
        let (session, Deadlines { deadline, .. }) = self.begin(&request.envelope)?;
        files::files(Arc::clone(&session.roots), request.question, deadline).await
    }

    /// Answers; dropping the future stops the walk.
    ///
    /// # Errors
    /// The pattern does not parse, or the path does not exist or may not be read.
    pub async fn search(&self, request: Request<SearchQuestion>) -> Result<SearchResult, IdeError> {
        let (session, Deadlines { deadline, .. }) = self.begin(&request.envelope)?;
        search_operation::search(Arc::clone(&session.roots), request.question, deadline).await
    }

    /// Answers; dropping the future stops the walk.
    ///
    /// # Errors
    /// The pattern is no code, the language is not known, or the path does not exist or may not be read.
    pub async fn matches(&self, request: Request<MatchesQuestion>) -> Result<MatchesResult, IdeError> {
        let (session, Deadlines { deadline, .. }) = self.begin(&request.envelope)?;
        matches::matches(Arc::clone(&session.roots), request.question, deadline).await
    }

    /// Answers.
    ///
    /// # Errors
    /// The file does not exist, may not be read, is no text or is shorter.
    pub async fn lines(&self, request: Request<LinesQuestion>) -> Result<LinesResult, IdeError> {
        let session = self.session(&request.envelope.session_id)?;
        let reading = blocking::spawn(move || lines::lines(&session.roots, &request.question));
        reading.await
    }

    /// Returns the whole text of a file.
    ///
    /// # Errors
    /// The file does not exist, may not be read, or is no text.
    pub async fn text(&self, request: Request<TextQuestion>) -> Result<TextResult, IdeError> {
        let session = self.session(&request.envelope.session_id)?;
        blocking::spawn(move || texts::text(&session.roots, &request.question)).await
    }

    /// Records that the editor starts to write a file: the text counts from now on, for every session.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn write_begins(&self, path: &Path, text: String) -> Write {
        let pending = self.buffers.begin_write(path, text);
        self.pool.refresh_all();
        Write(pending)
    }

    /// Records the editor's answer; if it did not write the file, the old text counts again.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn write_ends(&self, write: &Write, is_written: bool) {
        self.buffers.end_write(&write.0, is_written);
        self.pool.refresh_all();
    }

    /// Sets the editor's text of a file, saved or not; with `None` the disk counts.
    pub fn shown_in_editor(&self, path: &Path, text: Option<String>) {
        match text {
            Some(text) => self.buffers.set_editor_text(path, text),
            None => self.buffers.forget_editor_text(path),
        }
    }

    /// Notifies the servers that files may have changed, before the next request.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn files_touched(&self) {
        self.pool.invalidate_watches();
        self.pool.refresh_all();
    }

    /// Waits for edits that are being written, so that none is left half made. Then stops every server cleanly, and
    /// waits until they ended.
    pub async fn shutdown(&self) {
        let sessions: Vec<_> = lock(&self.sessions).drain().map(|it| it.1).collect();
        for session in sessions {
            // An editor that is gone may never answer.
            let written = tokio::time::timeout(LAST_WRITE, session.writing.lock()).await;
            drop(written);
        }
        self.pool.stop_all().await;
    }

    /// Returns the session of a request and the time limits that begin with it.
    fn begin(&self, envelope: &Envelope) -> Result<(Arc<Session>, Deadlines), IdeError> {
        let session = self.session(&envelope.session_id)?;
        Ok((session, Deadlines::new(envelope.deadline_ms, envelope.wait_ms)))
    }

    fn session(&self, session: &str) -> Result<Arc<Session>, IdeError> {
        let found = lock(&self.sessions).get(session).cloned();
        let found = found
            .ok_or_else(|| IdeError::new(ErrorCode::NotFound, format!("no session `{session}` is open")))?;
        found.roots.check_any_exists()?;
        Ok(found)
    }
}
