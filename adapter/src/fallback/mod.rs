//! Answers IDE operations with language servers found and spawned for the workspace.

mod convert;
mod detect;
mod documents;
mod handshake;
mod languages;
mod launch;
mod life;
mod neighbours;
mod operations;
mod outline;
mod readiness;
mod request;
mod restart;
mod ring;
mod roots;
mod search;
mod server;
mod stamps;
mod text;
mod transport;
mod walk;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ide_protocol::{
    DefinitionsRequest, DefinitionsResult, ErrorCode, IdeError, LinesRequest, LinesResult, ReferencesRequest,
    ReferencesResult, SearchRequest, SearchResult,
};

use operations::{lines, search as search_operation};
use roots::Roots;

/// Within which time an answer is of use, when the request does not say.
const DEADLINE: Duration = Duration::from_secs(40);

/// How the fallback is set up, once per process.
#[derive(Clone, Debug)]
pub struct Config {
    /// The executable to run again as the supervisor of language servers: `<it> supervise -- command…`.
    pub supervisor: PathBuf,
    /// Whether workspaces are trusted: build scripts and procedural macros run, all features are on.
    pub trust: bool,
    /// Commands to run in place of the servers that would be found, by language: `rust` → a fake server.
    pub servers: HashMap<String, Vec<OsString>>,
}

impl Config {
    /// Untrusted workspaces, servers as they are found.
    pub fn new(supervisor: PathBuf) -> Self {
        Self { supervisor, trust: false, servers: HashMap::new() }
    }
}

/// Called with each step of progress of one request; must not block.
pub type OnProgress = Box<dyn Fn(String, Option<u32>) + Send + Sync>;

/// The fallback of one adapter: sessions and the servers that they share.
#[derive(Debug)]
pub struct Fallback {
    config: Config,
    sessions: Mutex<HashMap<String, Arc<Roots>>>,
}

impl Fallback {
    /// Starts nothing yet.
    pub fn new(config: Config) -> Self {
        Self { config, sessions: Mutex::default() }
    }

    /// A session exists now: finds its languages and starts the servers of the largest ones in the background.
    /// Returns at once. Opening it again with other roots replaces them.
    pub fn open_session(&self, session: &str, roots: Vec<PathBuf>) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.insert(session.to_owned(), Arc::new(Roots::new(roots)));
    }

    /// The session ended: its servers are stopped some time after their last session.
    pub fn close_session(&self, session: &str) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    }

    /// Answers; dropping the future cancels the question, in the language server too.
    pub async fn definitions(
        &self,
        _request: DefinitionsRequest,
        _on_progress: OnProgress,
    ) -> Result<DefinitionsResult, IdeError> {
        Err(IdeError::new(ErrorCode::Unavailable, "not built yet"))
    }

    /// Answers; dropping the future cancels the question, in the language server too.
    pub async fn references(
        &self,
        _request: ReferencesRequest,
        _on_progress: OnProgress,
    ) -> Result<ReferencesResult, IdeError> {
        Err(IdeError::new(ErrorCode::Unavailable, "not built yet"))
    }

    /// Answers; dropping the future stops the walk.
    pub async fn search(&self, request: SearchRequest) -> Result<SearchResult, IdeError> {
        let roots = self.roots(&request.session_id)?;
        let deadline = deadline(request.deadline_ms);
        search_operation::search(roots, request, deadline).await
    }

    /// Answers.
    pub async fn lines(&self, request: LinesRequest) -> Result<LinesResult, IdeError> {
        let roots = self.roots(&request.session_id)?;
        let reading = tokio::task::spawn_blocking(move || lines::lines(&roots, &request));
        reading.await.unwrap_or_else(|error| {
            Err(IdeError::new(ErrorCode::ServerFailed, format!("the file was not read: {error}")))
        })
    }

    /// Stops every server cleanly and waits for it.
    pub async fn shutdown(&self) {}

    fn roots(&self, session: &str) -> Result<Arc<Roots>, IdeError> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions
            .get(session)
            .cloned()
            .ok_or_else(|| IdeError::new(ErrorCode::NotFound, format!("no session `{session}` is open")))
    }
}

fn deadline(milliseconds: Option<u64>) -> Instant {
    // A deadline beyond an hour is no deadline; adding it to a clock could overflow.
    let within = milliseconds.map_or(DEADLINE, |it| Duration::from_millis(it.min(3_600_000)));
    Instant::now() + within
}
