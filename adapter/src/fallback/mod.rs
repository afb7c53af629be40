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
use ide_protocol::{Envelope, ErrorCode, IdeError, Operation, Question, Request, Subjects, UnsavedText};
pub use operations::corrections::{CorrectionRow, corrections};
use operations::handler::Call;
pub use operations::handler::Caller;
use operations::table;
use serde_json::Value;
pub use servers::find::config::{CacheLookups, Config, Health, SwitchedOff, wall};
pub use servers::find::confined::{ConfinedCommand, Widening, confine, grounds};
pub use servers::find::settings::{SettingsError, user_settings};
use servers::run::pool::Pool;
use session::Session;
use session::trees::SessionTrees;
use source::deadlines::Deadlines;
pub use source::deadlines::OnProgress;
pub use trust::level::Level;
use trust::store::TrustDecisions;
pub use trust::store::{AskTrust, Consent, Decision, TrustStore};
use workspace::buffers;
use workspace::buffers::Buffers;
pub use workspace::index::store::IndexStore;
use workspace::staged_texts::{Staged, StagedTexts};

use crate::blocking;
use unpoisoned::lock;

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
    staged: StagedTexts,
    sessions: Mutex<HashMap<String, Arc<SessionTrees>>>,
    trusts: Arc<TrustDecisions>,
}

impl Fallback {
    /// Creates a fallback without sessions and servers.
    pub fn new(config: Config) -> Self {
        let buffers = Buffers::default();
        let pool = Pool::new(config.linger, buffers.clone());
        let trusts =
            Arc::new(TrustDecisions::new(config.level, config.usual_level(), config.trust_store.clone()));
        let staged = StagedTexts::new(buffers.clone());
        Self { config, pool, buffers, staged, sessions: Mutex::default(), trusts }
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
        let _replaced = sessions.insert(session.to_owned(), Arc::new(SessionTrees::new(opened)));
    }

    /// Sets the way to ask a session's user for trust in its folders; the first call counts.
    pub fn ask_trust_with(&self, session: &str, ask: AskTrust) {
        if let Ok(session) = self.session(session)
            && self.config.asks_for_trust
        {
            session.own.ask_trust_with(ask);
        }
    }

    /// Closes a session; its servers are stopped some time after their last session.
    pub fn close_session(&self, session: &str) {
        lock(&self.sessions).remove(session);
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
        let texts = UnsavedText::take(&mut params)?;
        let texts = self.staged(operation, &params, texts).await?;
        let _call = self.staged.begin(texts).await;
        let about = self.session_about(&params).await;
        let begin = |envelope: &Envelope| {
            let (session, sees_hidden) = about?;
            let within = Deadlines::new(envelope.deadline_ms, envelope.wait_ms);
            Ok(Call { session, within, caller, sees_hidden })
        };
        table::answer(operation, params, begin).await
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
            let written = tokio::time::timeout(LAST_WRITE, session.own.writing.lock()).await;
            drop(written);
        }
        self.pool.stop_all().await;
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
                Ok((about.roots.resolve_new(&it.path)?.path, it.text))
            };
            texts.into_iter().map(one).collect()
        });
        let stopped =
            |error| IdeError::new(ErrorCode::ServerFailed, format!("the texts broke down: {error}"));
        resolved.await.map_err(stopped)?
    }

    /// Returns the session of the tree that a request is about, and whether it names something hidden there.
    async fn session_about(&self, params: &Value) -> Result<(Arc<Session>, bool), IdeError> {
        let session = self.session(params["sessionId"].as_str().unwrap_or_default())?;
        let subjects = Subjects::of(params);
        let look = move || {
            let about = session.session_about(&subjects);
            let sees_hidden = about.roots.leads_to_hidden(&subjects.paths);
            about.roots.check_any_exists().map(|()| (about, sees_hidden))
        };
        blocking::spawn(look).await
    }

    fn session(&self, session: &str) -> Result<Arc<SessionTrees>, IdeError> {
        let found = lock(&self.sessions).get(session).cloned();
        let found = found
            .ok_or_else(|| IdeError::new(ErrorCode::NotFound, format!("no session `{session}` is open")))?;
        found.own.roots.check_any_exists()?;
        Ok(found)
    }
}
