//! The lower tier: what the text says of names, by the syntax of each file, where no language server answers.
//!
//! It is never taken for more than that: its answers are not complete, and say why they come from here.

mod definitions;
mod nodes;
mod references;

use std::time::{Duration, Instant};

use ide_protocol::{ErrorCode, IdeError};

pub(crate) use definitions::definitions;
pub(crate) use references::references;

/// What is kept of the time for an answer, so that there is one when the server is not ready in time.
const RESERVE: Duration = Duration::from_secs(3);

/// How long is looked when there is no time left: to say something late is better than to say nothing.
const MOMENT: Duration = Duration::from_secs(2);

/// How many files of one name are looked into.
const FILES: usize = 400;

/// Until when a language server is waited for.
pub(crate) fn patience(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline.checked_sub(RESERVE.min(left / 5)).unwrap_or(deadline)
}

/// Until when the text is looked through; a moment even when the time for an answer has passed.
pub(crate) fn until(deadline: Instant) -> Instant {
    deadline.max(Instant::now() + MOMENT)
}

/// Whether somebody else may know what this one could not say: it is there no server, or none that is ready or well.
pub(crate) fn is_called_for(error: &IdeError) -> bool {
    matches!(error.kind, ErrorCode::Unavailable | ErrorCode::NotReady | ErrorCode::ServerFailed)
}
