//! Answers IDE operations with language servers found and spawned for the workspace.

use std::path::PathBuf;

use ide_protocol::{
    DefinitionsRequest, DefinitionsResult, ErrorCode, IdeError, LinesRequest, LinesResult, ReferencesRequest,
    ReferencesResult, SearchRequest, SearchResult,
};

/// How the fallback is set up, once per process.
#[derive(Clone, Debug)]
pub struct Config {
    /// The executable to run again as the supervisor of language servers: `<it> supervise -- command…`.
    pub supervisor: PathBuf,
    /// Whether workspaces are trusted: build scripts and procedural macros run, all features are on.
    pub trust: bool,
}

/// Called with each step of progress of one request; must not block.
pub type OnProgress = Box<dyn Fn(String, Option<u32>) + Send + Sync>;

/// The fallback of one adapter: sessions and the servers that they share.
#[derive(Debug)]
pub struct Fallback {
    config: Config,
}

impl Fallback {
    /// Starts nothing yet.
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    /// A session exists now: finds its languages and starts the servers of the largest ones in the background.
    /// Returns at once. Opening it again with other roots replaces them.
    pub fn open_session(&self, _session: &str, _roots: Vec<PathBuf>) {}

    /// The session ended: its servers are stopped some time after their last session.
    pub fn close_session(&self, _session: &str) {}

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
    pub async fn search(&self, _request: SearchRequest) -> Result<SearchResult, IdeError> {
        Err(IdeError::new(ErrorCode::Unavailable, "not built yet"))
    }

    /// Answers.
    pub async fn lines(&self, _request: LinesRequest) -> Result<LinesResult, IdeError> {
        Err(IdeError::new(ErrorCode::Unavailable, "not built yet"))
    }

    /// Stops every server cleanly and waits for it.
    pub async fn shutdown(&self) {}
}
