//! The reason why the syntactic tier answers instead of a language server.

use std::time::{Duration, Instant};

use ide_protocol::{Completeness, ErrorCode, IdeError, Source};

use crate::fallback::source::deadlines::Deadlines;

/// The time for a search when the deadline has passed already: a late answer is better than none.
const MOMENT: Duration = Duration::from_secs(2);

/// The reason why no server answers, for the note of a syntactic answer.
#[derive(Clone, Debug)]
pub(crate) struct FallbackReason {
    /// The beginning of the note: why no server answers, and what would change that.
    pub(crate) why: String,
    /// The time when the search stops.
    pub(crate) until: Instant,
    /// `true` if a server is loading: it answers later what the syntax does not answer as well.
    pub(crate) is_early: bool,
}

/// The source of an answer that needs no server, though one is loading.
const EARLY: &str = "syntax-index";

impl FallbackReason {
    /// Words the reason from a server's error.
    ///
    /// `install` is the command that installs the missing server, unless an earlier answer has shown it already.
    pub(crate) fn new(why: &IdeError, install: Option<&str>, deadlines: Deadlines) -> Self {
        let message = why.message.trim_end_matches('.');
        let why = match (why.kind, install) {
            (_, Some(command)) => format!("{message} (`{command}` installs it)"),
            (ErrorCode::NotReady, None) => format!("{message}; ask again {}", deadlines.retry_advice()),
            _ => message.to_owned(),
        };
        Self { why, until: search_deadline(deadlines.deadline), is_early: false }
    }

    /// Returns the reason to answer before a server has loaded.
    pub(crate) fn early(deadlines: Deadlines) -> Self {
        Self { why: String::new(), until: search_deadline(deadlines.deadline), is_early: true }
    }

    /// Returns the completeness of an answer that accounts for all files, with what is to be said of it if no server
    /// loads.
    pub(crate) fn completeness(&self, note: String) -> Completeness {
        if self.is_early {
            return Completeness { complete: true, source: Source(EARLY.into()), note: None, gap: None };
        }
        Completeness { complete: false, source: Source("syntax".into()), note: Some(note), gap: None }
    }
}

/// Returns the time when a text search stops: the deadline, but at least [`MOMENT`] from now.
pub(crate) fn search_deadline(deadline: Instant) -> Instant {
    deadline.max(Instant::now() + MOMENT)
}

/// Returns whether the syntactic tier may answer after this error: no server exists, is ready, or is healthy.
pub(crate) fn allows_fallback(error: &IdeError) -> bool {
    matches!(error.kind, ErrorCode::Unavailable | ErrorCode::NotReady | ErrorCode::ServerFailed)
}
