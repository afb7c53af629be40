//! Answers IDE operations with language servers found and spawned for the workspace.
//!
//! A [`session`] looks at its folders ([`detect`]), finds a server for each language there ([`launch`], by the rows of
//! [`languages`] and by what people configured in [`settings`]) and leases it from the [`pool`], which keeps one for all sessions about the same projects. A
//! [`server`] has lives: each is a process under its supervisor ([`life`], over [`transport`] and [`request`]), and
//! when one ends the next begins ([`restart`]).
//!
//! What keeps an answer true, in the order in which a question ([`operations`]) meets it:
//!
//! 1. It waits until the server is ready ([`readiness`]): a server that loads answers "nothing", with success.
//! 2. Every file is compared with what the server was told of it, and the difference is told ([`documents`]). What the
//!    editor holds, or is being asked to write, counts before what is on disk ([`buffers`]), for textual scans too.
//! 3. The server is asked ([`asking`]), again while it says that files are changing.
//! 4. What it answers is compared with what the sources say as text ([`scan`]): definitions that it did not list,
//!    mentions that it did not count, files that it did not load. What is left over is said, never left out in silence.
//! 5. If a file changed meanwhile, all of it is done again; if the server ended, once more on the next life.
//!
//! Only [`convert`] knows how LSP counts. `search` and `lines` need no server and work in every workspace.

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

use ide_protocol::{
    DefinitionsRequest, DefinitionsResult, DescriptionRequest, DescriptionResult, DiagnosticsRequest,
    DiagnosticsResult, ErrorCode, FilesRequest, FilesResult, Hierarchy, HierarchyRequest, HierarchyResult,
    IdeError, LinesRequest, LinesResult, MatchesRequest, MatchesResult, Navigation, OutlineRequest,
    OutlineResult, ReferencesRequest, ReferencesResult, SearchRequest, SearchResult, SymbolsRequest,
    SymbolsResult,
};

use crate::blocking;
use crate::lock::lock;
pub use doctor::{LanguageReport, MissingServer, Report, ServerReport, examine, find_server};
pub use edits::Editor;
use operations::{by_name_workspace, dispatch, files, lines, matches, search as search_operation};
pub use servers::find::config::{Config, Health, wall};
pub use servers::find::settings::{SettingsError, user_settings};
use servers::run::pool::Pool;
use session::Session;
use session::completeness::Qualified;
pub use source::deadlines::OnProgress;
use source::deadlines::Within;
pub use trust::level::Level;
use trust::store::Trusts;
pub use trust::store::{AskTrust, Consent, Decision, TrustStore};
use workspace::buffers;
use workspace::buffers::Buffers;
pub use workspace::index::store::IndexStore;

/// A write that the editor was asked for and has not answered.
#[derive(Debug)]
pub struct Write(buffers::Pending);

/// The fallback of one adapter: sessions and the servers that they share.
#[derive(Debug)]
pub struct Fallback {
    config: Config,
    pool: Arc<Pool>,
    buffers: Buffers,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    trusts: Arc<Trusts>,
}

impl Fallback {
    /// Starts nothing yet.
    pub fn new(config: Config) -> Self {
        let buffers = Buffers::default();
        let pool = Pool::new(config.linger, buffers.clone());
        let trusts = Arc::new(Trusts::new(config.level, config.usual_level(), config.trust_store.clone()));
        Self { config, pool, buffers, sessions: Mutex::default(), trusts }
    }

    /// How long a question waits before the user is shown what for.
    pub(crate) fn patience(&self) -> Duration {
        self.config.patience
    }

    /// A session exists now: finds its languages and starts the servers of the two largest in the background.
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

    /// How the user of a session can be asked whether he trusts its folders; the first way counts.
    pub fn ask_trust_with(&self, session: &str, ask: AskTrust) {
        if let Ok(session) = self.session(session)
            && self.config.asks_for_trust
        {
            session.ask_trust_with(ask);
        }
    }

    /// The session ended: its servers are stopped some time after their last session.
    pub fn close_session(&self, session: &str) {
        lock(&self.sessions).remove(session);
    }

    /// Answers; dropping the future cancels the question, in the language server too.
    ///
    /// # Errors
    /// Nobody can answer, is ready in time, or knows the place.
    pub async fn definitions(
        &self,
        request: DefinitionsRequest,
        on_progress: OnProgress,
    ) -> Result<DefinitionsResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Within::new(request.deadline_ms, request.wait_ms);
        let target = Arc::new(request.target);
        match &target.at {
            None => by_name_workspace::definitions(&session, &target, within, &on_progress).await,
            Some(at) => {
                let language = dispatch::language_of(&at.path)?;
                dispatch::definitions(&session, language, &target, None, within, &on_progress)
                    .await
                    .map(|it| it.result)
            }
        }
    }

    /// Answers; dropping the future cancels the question, in the language server too.
    ///
    /// # Errors
    /// Nobody can answer, is ready in time, or knows the place.
    pub async fn references(
        &self,
        request: ReferencesRequest,
        on_progress: OnProgress,
    ) -> Result<ReferencesResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Within::new(request.deadline_ms, request.wait_ms);
        match &request.target.at {
            None => by_name_workspace::references(&session, request, within, &on_progress).await,
            Some(at) => {
                let language = dispatch::language_of(&at.path)?;
                dispatch::references(&session, language, request, within, &on_progress).await
            }
        }
    }

    /// Answers; dropping the future cancels the question, in the language server too.
    ///
    /// # Errors
    /// Nobody can answer, is ready in time, or knows the place, or the server goes no such way.
    pub async fn navigate(
        &self,
        way: Navigation,
        request: DefinitionsRequest,
        on_progress: OnProgress,
    ) -> Result<DefinitionsResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let (within, target) = (Within::new(request.deadline_ms, request.wait_ms), request.target);
        match &target.at {
            None => by_name_workspace::navigation(&session, way, target, within, &on_progress).await,
            Some(at) => {
                let language = dispatch::language_of(&at.path)?;
                dispatch::navigation(&session, language, way, target, within, &on_progress).await
            }
        }
    }

    /// Answers; dropping the future cancels the question, in the language server too.
    ///
    /// # Errors
    /// Nobody can answer, is ready in time, or knows the place, or the server goes no such way.
    pub async fn hierarchy(
        &self,
        way: Hierarchy,
        request: HierarchyRequest,
        on_progress: OnProgress,
    ) -> Result<HierarchyResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let (within, depth) = (Within::new(request.deadline_ms, request.wait_ms), request.depth);
        let ask = |target| dispatch::hierarchy(&session, way, target, depth, within, &on_progress);
        match &request.target.at {
            None => {
                let (target, found) =
                    by_name_workspace::one(&session, request.target, within, &on_progress).await?;
                Ok(ask(target).await?.of_found(found))
            }
            Some(_) => ask(request.target).await,
        }
    }

    /// Answers; dropping the future cancels the question, in the language server too.
    ///
    /// # Errors
    /// Nobody can answer, is ready in time, or knows the place.
    pub async fn description(
        &self,
        request: DescriptionRequest,
        on_progress: OnProgress,
    ) -> Result<DescriptionResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let (within, target) = (Within::new(request.deadline_ms, request.wait_ms), request.target);
        match &target.at {
            None => by_name_workspace::description(&session, target, within, &on_progress).await,
            Some(at) => {
                let language = dispatch::language_of(&at.path)?;
                dispatch::description(&session, language, target, within, &on_progress).await
            }
        }
    }

    /// Answers; dropping the future cancels the question, in the language server too.
    ///
    /// # Errors
    /// There is no such file, or nobody can answer or is ready in time.
    pub async fn outline(
        &self,
        request: OutlineRequest,
        on_progress: OnProgress,
    ) -> Result<OutlineResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Within::new(request.deadline_ms, request.wait_ms);
        dispatch::outline(&session, request.path, within, &on_progress).await
    }

    /// Answers; dropping the future cancels the question, in the language servers too.
    ///
    /// # Errors
    /// There is no such path, or nobody can answer or is ready in time.
    pub async fn symbols(
        &self,
        request: SymbolsRequest,
        on_progress: OnProgress,
    ) -> Result<SymbolsResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Within::new(request.deadline_ms, request.wait_ms);
        by_name_workspace::symbols(&session, request, within, &on_progress).await
    }

    /// Answers; dropping the future cancels the question, in the language servers too.
    ///
    /// # Errors
    /// There is no such path, or nobody can answer or is ready in time.
    pub async fn diagnostics(
        &self,
        request: DiagnosticsRequest,
        on_progress: OnProgress,
    ) -> Result<DiagnosticsResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let within = Within::new(request.deadline_ms, request.wait_ms);
        by_name_workspace::diagnostics(&session, request.path, within, &on_progress).await
    }

    /// Answers; dropping the future stops the walk.
    ///
    /// # Errors
    /// The glob does not parse or leaves the workspace.
    pub async fn files(&self, request: FilesRequest) -> Result<FilesResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let Within { deadline, .. } = Within::new(request.deadline_ms, None);
        files::files(Arc::clone(&session.roots), request, deadline).await
    }

    /// Answers; dropping the future stops the walk.
    ///
    /// # Errors
    /// The pattern does not parse, or the path does not exist or may not be read.
    pub async fn search(&self, request: SearchRequest) -> Result<SearchResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let Within { deadline, .. } = Within::new(request.deadline_ms, None);
        search_operation::search(Arc::clone(&session.roots), request, deadline).await
    }

    /// Answers; dropping the future stops the walk.
    ///
    /// # Errors
    /// The pattern is no code, the language is not known, or the path does not exist or may not be read.
    pub async fn matches(&self, request: MatchesRequest) -> Result<MatchesResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let Within { deadline, .. } = Within::new(request.deadline_ms, None);
        matches::matches(Arc::clone(&session.roots), request, deadline).await
    }

    /// Answers.
    ///
    /// # Errors
    /// The file does not exist, may not be read, is no text or is shorter.
    pub async fn lines(&self, request: LinesRequest) -> Result<LinesResult, IdeError> {
        let session = self.session(&request.session_id)?;
        let reading = blocking::spawn(move || lines::lines(&session.roots, &request));
        reading.await
    }

    /// The editor is asked to write a file: the text counts from now on, for every session.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn write_begins(&self, path: &Path, text: String) -> Write {
        let pending = self.buffers.begin(path, text);
        self.pool.refresh_all();
        Write(pending)
    }

    /// The editor has answered: unless it wrote the file, it is as it was.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn write_ends(&self, write: &Write, is_written: bool) {
        self.buffers.end(&write.0, is_written);
        self.pool.refresh_all();
    }

    /// What a file holds in the editor, saved or not; `None` when the editor does not say, so that the disk counts.
    pub fn shown_in_editor(&self, path: &Path, text: Option<String>) {
        match text {
            Some(text) => self.buffers.shown(path, text),
            None => self.buffers.hidden(path),
        }
    }

    /// Files may have changed: servers are told before anybody asks.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn files_touched(&self) {
        self.pool.invalidate_watches();
        self.pool.refresh_all();
    }

    /// Stops every server cleanly and waits for it.
    pub async fn shutdown(&self) {
        lock(&self.sessions).clear();
        self.pool.stop_all().await;
    }

    fn session(&self, session: &str) -> Result<Arc<Session>, IdeError> {
        let found = lock(&self.sessions).get(session).cloned();
        let found = found
            .ok_or_else(|| IdeError::new(ErrorCode::NotFound, format!("no session `{session}` is open")))?;
        found.roots.check_there()?;
        Ok(found)
    }
}
