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
pub(crate) mod edits;
mod operations;
pub(crate) mod servers;
pub(crate) mod session;
pub(crate) mod source;
mod syntactic;
pub(crate) mod trust;
pub(crate) mod workspace;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

pub use confinement::Origin;
pub use doctor::{LanguageReport, MissingServer, Report, ServerReport, examine, find_server};
use edits::edit_log::{EditLog, Replaced};
pub use edits::{Editor, detached_write};
use ide_protocol::{Envelope, ErrorCode, IdeError, Operation, Question, Request, Subjects, UnsavedText};
pub use operations::corrections::{CorrectionRow, corrections};
use operations::handler::Call;
pub use operations::handler::Caller;
use operations::table;
use serde_json::Value;
pub use servers::find::config::{CacheLookups, Config, Health, SwitchedOff, wall};
pub use servers::find::confined::{ConfinedCommand, Widening, confine, grounds};
pub use servers::find::environment::environment_that_counts;
pub use servers::find::settings::{SettingsError, user_settings};
pub use servers::run::lent::{Lender, Refusal};
use servers::run::pool::{Pool, RunningServer};
use session::Session;
use session::memory::SessionMemory;
use session::trees::{About, SessionTrees};
use session::workspaces::Workspaces;
use source::deadlines::Deadlines;
pub use source::deadlines::OnProgress;
use syntactic::text_of;
pub use trust::level::Level;
use trust::store::TrustDecisions;
pub use trust::store::{AskTrust, Consent, Decision, TrustStore};
use workspace::buffers;
use workspace::buffers::Buffers;
pub use workspace::buffers::Shown;
pub use workspace::index::store::IndexStore;
use workspace::index::store::KnownSymbols;
use workspace::staged_texts::{Staged, StagedTexts};

use crate::background::client::{Client, Sessions};
use crate::background::place::Background;
use crate::background::wire::ToServer;
use crate::blocking;
use unpoisoned::lock;

/// Returns the folder of the user's caches, `$XDG_CACHE_HOME/dialect`. It may not be there yet.
pub fn cache_folder() -> Option<PathBuf> {
    Some(crate::xdg_dirs::cache()?.join("dialect"))
}

/// A pending write of the editor.
#[derive(Debug)]
pub struct Write(buffers::EditorWrite);

/// An edit of the agent that the editor is asked to make.
#[derive(Debug)]
pub struct PendingEdit {
    log: Arc<EditLog>,
    began: SystemTime,
    path: PathBuf,
    before: Option<String>,
}

impl PendingEdit {
    /// Records that the edit was made.
    pub fn is_made(self) {
        self.log.add(self.began, vec![(self.path, self.before)]);
    }
}

/// An edit that a tool call of the agent reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedEdit {
    /// The file.
    pub path: PathBuf,
    /// The text before, of a part or the whole; `None` if there was no file.
    pub before: Option<String>,
    /// The text after.
    pub after: String,
}

/// The time that what is found for folders stays in a process whose clients come and go.
const KEPT: Duration = Duration::from_secs(15 * 60);

/// The time that an edit may take to be written when everything else ends.
const LAST_WRITE: Duration = Duration::from_secs(5);

/// The fallback of one adapter: sessions and the servers that they share.
#[derive(Debug)]
pub struct Fallback {
    config: Config,
    shared: Shared,
    buffers: Buffers,
    staged: StagedTexts,
    sessions: Sessions,
    trusts: Arc<TrustDecisions>,
    /// The way to the background process, if it answers.
    background: Option<Arc<Client>>,
    /// `true` if the editor lends its language servers.
    is_lent: AtomicBool,
}

/// The servers and findings that the fallbacks of one process share. Clones share them.
#[derive(Clone, Debug)]
pub struct Shared {
    pool: Arc<Pool>,
    workspaces: Arc<Workspaces>,
    /// The symbols of texts that indexes have.
    symbols: KnownSymbols,
}

impl Shared {
    /// Creates what is shared. What is found for folders stays that long after their last session.
    fn new(config: &Config, kept: Duration) -> Self {
        let pool = Pool::with_budget(config.server_memory());
        let symbols = config.index_store.as_ref().map(|it| it.symbols.clone()).unwrap_or_default();
        Self { pool, workspaces: Workspaces::kept_for(kept), symbols }
    }

    /// Creates what is shared by clients that come and go, for the user's own settings.
    pub(crate) fn of_user() -> Self {
        Self::new(&Config { user_settings: user_settings(), ..Config::new(PathBuf::new()) }, KEPT)
    }

    /// Returns the language servers.
    pub(crate) fn report(&self) -> Vec<RunningServer> {
        self.pool.report()
    }

    /// Returns the memory that all language servers together may take, in bytes; `None` for no limit.
    pub(crate) fn budget(&self) -> Option<u64> {
        self.pool.budget()
    }

    /// Counts the memory of the user's other background processes, too: this process is `own`.
    pub(crate) fn count_others_than(&self, own: Background) {
        self.pool.count_others_than(own);
    }

    /// Stops every server, and waits until they ended.
    pub(crate) async fn stop(&self) {
        self.pool.stop_all().await;
    }
}

impl Fallback {
    /// Creates a fallback without sessions and servers.
    pub fn new(config: Config) -> Self {
        let shared = Shared::new(&config, Duration::ZERO);
        Self::sharing(config, shared)
    }

    /// Creates a fallback that shares servers with others.
    pub(crate) fn sharing(mut config: Config, shared: Shared) -> Self {
        if let Some(store) = &mut config.index_store {
            store.symbols = shared.symbols.clone();
        }
        let (buffers, sessions) = (Buffers::default(), Sessions::default());
        let trusts =
            Arc::new(TrustDecisions::new(config.level, config.usual_level(), config.trust_store.clone()));
        let staged = StagedTexts::new(buffers.clone());
        let client = |it: &Background| {
            Client::new(it.clone(), &config, Arc::clone(&sessions), buffers.clone(), Arc::clone(&trusts))
        };
        let background = config.background.as_ref().map(client);
        let is_lent = AtomicBool::new(false);
        Self { config, shared, buffers, staged, sessions, trusts, background, is_lent }
    }

    /// Returns the time a request waits before the user sees the reason.
    pub(crate) fn patience(&self) -> Duration {
        self.config.patience
    }

    /// Returns the time for which a text of the editor counts without another look, for a file that nobody touched.
    pub(crate) fn text_age(&self) -> Duration {
        self.config.text_age
    }

    /// Returns `true` if the user wants servers of the editor to be asked.
    pub(crate) fn borrows_servers(&self) -> bool {
        self.config.editor_servers
    }

    /// Answers in this process from now on, because the editor lends its servers: the background process could not ask
    /// them. No server of our own is started before somebody needs it.
    pub(crate) fn answer_here(&self) {
        self.is_lent.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the editor lends its language servers.
    pub(crate) fn is_lent(&self) -> bool {
        self.is_lent.load(Ordering::Relaxed)
    }

    /// Returns the way to the background process, unless questions are answered here.
    fn background(&self) -> Option<&Arc<Client>> {
        self.background.as_ref().filter(|_| !self.is_lent())
    }

    /// Opens a session: finds its languages and starts the servers of the two largest in the background, unless the editor
    /// lends its own. Returns at once. Opening it again with other roots replaces them.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn open_session(&self, session: &str, roots: Vec<PathBuf>) {
        let (shared, buffers) = (self.shared.clone(), self.buffers.clone());
        let trusts = Arc::clone(&self.trusts);
        let opened =
            Session::new(roots, self.config.clone(), trusts, (shared.pool, shared.workspaces), buffers);
        let started = Arc::clone(&opened);
        let trees = Arc::new(SessionTrees::new(opened));
        let _replaced = lock(&self.sessions).insert(session.to_owned(), trees);
        if self.is_lent() {
            return;
        }
        if let Some(background) = &self.background {
            background.open(session);
            return;
        }
        tokio::spawn(async move {
            started.start().await;
        });
    }

    /// Sets the way to ask a session's user for trust in its folders; the first call counts.
    pub fn ask_trust_with(&self, id: &str, ask: AskTrust) {
        if let Ok(session) = self.session(id)
            && self.config.asks_for_trust
            && session.own.ask_trust().is_none()
        {
            session.own.ask_trust_with(ask);
            self.tell(|| ToServer::Asks { session: id.to_owned() });
        }
    }

    /// Closes a session; its servers are stopped some time after their last session.
    pub fn close_session(&self, session: &str) {
        lock(&self.sessions).remove(session);
        self.tell(|| ToServer::Close { session: session.to_owned() });
    }

    /// Closes all sessions.
    pub(crate) fn close_all(&self) {
        lock(&self.sessions).clear();
    }

    /// Returns the number of open sessions.
    pub(crate) fn session_count(&self) -> usize {
        lock(&self.sessions).len()
    }

    /// Returns the folders of the open sessions.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let sessions = lock(&self.sessions);
        let all: BTreeSet<_> = sessions.values().flat_map(|it| it.own.roots.roots()).cloned().collect();
        all.into_iter().collect()
    }

    /// Adds to what a session remembers what it learnt in another process.
    pub(crate) fn remember(&self, session: &str, memory: SessionMemory) {
        if let Ok(session) = self.session(session) {
            let _first_call = SessionMemory::take_news(&session);
            memory.restore(&session);
            let _restored = SessionMemory::take_news(&session);
        }
    }

    /// Returns what a session remembers since this was called last.
    pub(crate) fn take_news(&self, session: &str) -> Option<SessionMemory> {
        let session = lock(&self.sessions).get(session).cloned()?;
        Some(SessionMemory::take_news(&session))
    }

    /// Records the user's answer about folders, for this process.
    pub(crate) fn decide(&self, folders: &[PathBuf], consent: Consent) {
        self.trusts.record_answer(folders, consent);
    }

    /// Sets the editor's texts of several files; with `None` the disk counts.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub(crate) fn shown_together(&self, texts: Vec<(PathBuf, Option<String>)>) {
        for (path, text) in texts {
            self.shown_in_editor(&path, text);
        }
        self.shared.pool.refresh_all(&self.buffers);
    }

    fn tell(&self, message: impl FnOnce() -> ToServer) {
        if let Some(background) = &self.background {
            background.tell(message());
        }
    }

    /// Answers a request of the wire; dropping the future cancels it, in the language servers too. Once edits
    /// are being written, that goes on.
    ///
    /// # Errors
    /// The params are none of the operation, no session has the name, or the operation fails.
    pub async fn answer(
        &self,
        operation: Operation,
        mut params: Value,
        caller: Caller,
    ) -> Result<Value, IdeError> {
        if let Some(background) = self.background().filter(|_| self.is_asked_there(operation))
            && let Some(answer) = background.ask(operation, &params, &caller.on_progress).await
        {
            return answer;
        }
        let texts = UnsavedText::take(&mut params)?;
        let texts = self.staged(operation, &params, texts).await?;
        let _call = self.staged.begin(texts).await;
        let about = self.session_about(&params).await;
        let begin = |envelope: &Envelope| {
            let About { session, sees_hidden } = about?;
            let within = Deadlines::new(envelope.deadline_ms, envelope.wait_ms);
            Ok(Call { session, within, caller, sees_hidden })
        };
        table::answer(operation, params, begin).await
    }

    /// Returns `true` for the operations that the background process answers. This one writes, and knows what.
    fn is_asked_there(&self, operation: Operation) -> bool {
        use Operation::{Apply, EditedTexts, Edits, RecentChanges};
        let is_of_edits = matches!(operation, Apply | EditedTexts | Edits | RecentChanges);
        !is_of_edits && self.config.switched_off.is_empty()
    }

    /// Answers a request of a program in this process; otherwise as [`answer`](Self::answer).
    ///
    /// # Errors
    /// The operation has other questions, or [`answer`](Self::answer) fails.
    pub async fn ask<Q: Question>(
        &self,
        operation: Operation,
        request: Request<Q>,
        caller: Caller,
    ) -> Result<Q::Result, IdeError> {
        let params = serde_json::to_value(request).expect("requests are plain data with text keys");
        let answer = self.answer(operation, params, caller).await?;
        serde_json::from_value(answer).map_err(|error| {
            let message = format!("`{operation}` has another result: {error}");
            IdeError::new(ErrorCode::InvalidRequest, message)
        })
    }

    /// Records that the editor starts to write a file: the text counts from now on, for every session.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn write_begins(&self, path: &Path, text: String) -> Write {
        let pending = self.buffers.begin_write(path, text);
        self.texts_changed();
        Write(pending)
    }

    /// Records the editor's answer; if it did not write the file, the old text counts again.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn write_ends(&self, write: &Write, is_written: bool) {
        self.buffers.end_write(&write.0, is_written);
        self.texts_changed();
    }

    /// Records that the user sends a prompt in a session.
    pub fn prompted(&self, session: &str) {
        if let Ok(session) = self.session(session) {
            session.own.edit_log.prompted();
        }
    }

    /// Reads the text that an edit of the agent is about to replace; blocking. The edit is recorded when it is made.
    pub fn edit_begins(&self, session: &str, path: &Path) -> Option<PendingEdit> {
        let session = self.session(session).ok()?;
        let (began, roots) = (SystemTime::now(), &session.own.roots);
        let path = roots.resolve_new(path.to_str()?).ok()?.path;
        let before = text_of(roots, &path).map(|it| it.as_str().to_owned());
        Some(PendingEdit { log: Arc::clone(&session.own.edit_log), began, path, before })
    }

    /// Records the edits that a tool call of the agent reports, whether made or not.
    pub fn edits_reported(&self, session: &str, call: &str, edits: Vec<ReportedEdit>) {
        let Ok(session) = self.session(session) else { return };
        let replaced = |it: ReportedEdit| {
            let path = session.own.roots.resolve_new(it.path.to_str()?).ok()?.path;
            Some((path, Replaced::Part { before: it.before, after: it.after }))
        };
        session.own.edit_log.report(call, edits.into_iter().filter_map(replaced).collect());
    }

    fn texts_changed(&self) {
        self.background.iter().for_each(|it| it.tell_texts());
        self.shared.pool.refresh_all(&self.buffers);
    }

    /// Sets the editor's text of a file, saved or not; with `None` the disk counts. Blocking.
    pub fn shown_in_editor(&self, path: &Path, text: Option<String>) -> Shown {
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
        self.tell(|| ToServer::Touched);
        self.shared.pool.invalidate_watches();
        self.shared.pool.refresh_all(&self.buffers);
    }

    /// Waits for edits that are being written, so that none is left half made. Then stops every server cleanly, and
    /// waits until they ended.
    pub async fn shutdown(&self) {
        let sessions: Vec<_> = lock(&self.sessions).drain().map(|it| it.1).collect();
        for session in sessions {
            // An editor that is gone may never answer.
            let written = tokio::time::timeout(LAST_WRITE, session.own.writing.lock()).await;
            drop(written);
        }
        self.background.iter().for_each(|it| it.close());
        self.shared.stop().await;
    }

    /// Returns `true` if that session has previewed one of these edits, or listed one of these actions.
    pub fn has_shown(&self, session: &str, ids: &[&str]) -> bool {
        let session = self.session(session);
        session.is_ok_and(|trees| {
            let own = &trees.own;
            ids.iter().any(|id| own.previews.find(id).is_some() || own.offers.find(id).is_some())
        })
    }

    /// Returns the texts that a request is about, by their files.
    async fn staged(
        &self,
        operation: Operation,
        params: &Value,
        texts: Vec<UnsavedText>,
    ) -> Result<Staged, IdeError> {
        if texts.is_empty() {
            return Ok(Staged::new());
        }
        if operation == Operation::Apply {
            let message = "edits are not written over texts that are not on disk";
            return Err(IdeError::new(ErrorCode::InvalidRequest, message).recovery("Write the texts first."));
        }
        let session = self.session(params["sessionId"].as_str().unwrap_or_default())?;
        let resolved = tokio::task::spawn_blocking(move || {
            let one = |it: UnsavedText| {
                let about = session.session_about(&Subjects::of_path(&it.path));
                Ok((about.session.roots.resolve_new(&it.path)?.path, it.text))
            };
            texts.into_iter().map(one).collect()
        });
        let stopped =
            |error| IdeError::new(ErrorCode::ServerFailed, format!("the texts broke down: {error}"));
        resolved.await.map_err(stopped)?
    }

    /// Returns the session of the tree that a request is about.
    async fn session_about(&self, params: &Value) -> Result<About, IdeError> {
        let session = self.session(params["sessionId"].as_str().unwrap_or_default())?;
        let subjects = Subjects::of(params);
        let look = move || {
            let about = session.session_about(&subjects);
            // The own folders were just checked.
            if !Arc::ptr_eq(&about.session, &session.own) {
                about.session.roots.check_any_exists()?;
            }
            Ok(about)
        };
        blocking::in_place_for(1, look).await
    }

    fn session(&self, session: &str) -> Result<Arc<SessionTrees>, IdeError> {
        let found = lock(&self.sessions).get(session).cloned();
        let found = found
            .ok_or_else(|| IdeError::new(ErrorCode::NotFound, format!("no session `{session}` is open")))?;
        found.own.roots.check_any_exists()?;
        Ok(found)
    }
}
