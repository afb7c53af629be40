//! The reason why the syntactic tier answers instead of a language server.

use std::time::{Duration, Instant};

use ide_protocol::{Completeness, ErrorCode, IdeError, NoServer, Reason, Source};

use crate::fallback::source::deadlines::Deadlines;

/// The time for a search when the deadline has passed already: a late answer is better than none.
const MOMENT: Duration = Duration::from_secs(2);

/// The reason why no server answers, and the time for the answer instead.
#[derive(Clone, Debug)]
pub(crate) struct FallbackReason {
    /// The reason why no server answers, and what would change that.
    pub(crate) why: NoServer,
    /// The time when the search stops.
    pub(crate) until: Instant,
    /// `true` if a server is loading: it answers later what the syntax does not answer as well.
    pub(crate) is_early: bool,
}

/// The source of an answer that needs no server, though one is loading.
const EARLY: &str = "syntax-index";

impl FallbackReason {
    /// Takes the reason from a server's error.
    ///
    /// `install` is the command that installs the missing server, unless an earlier answer has shown it already.
    pub(crate) fn new(why: &IdeError, install: Option<&str>, deadlines: Deadlines) -> Self {
        let message = why.message.trim_end_matches('.').to_owned();
        let retry = (why.kind == ErrorCode::NotReady).then(|| deadlines.retry());
        let why = NoServer { message, install: install.map(str::to_owned), retry };
        Self { why, until: search_deadline(deadlines.deadline), is_early: false }
    }

    /// Returns the reason to answer until a time for a server that does not list all.
    pub(crate) fn beside_server(until: Instant) -> Self {
        let why = NoServer { message: String::new(), install: None, retry: None };
        Self { why, until, is_early: false }
    }

    /// Returns the reason to answer before a server has loaded.
    pub(crate) fn early(deadlines: Deadlines) -> Self {
        Self { is_early: true, ..Self::beside_server(search_deadline(deadlines.deadline)) }
    }

    /// Returns the completeness of an answer that accounts for all files, for the reasons that count if no server
    /// loads.
    pub(crate) fn completeness(&self, reasons: impl IntoIterator<Item = Reason>) -> Completeness {
        if self.is_early {
            return Completeness::complete(Source(EARLY.into()));
        }
        Completeness::with(Source("syntax".into()), reasons)
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
