//! The lower tier: what the text says of names, by the syntax of each file, where no language server answers.
//!
//! It is never taken for more than that: its answers are not complete, and say why they come from here.

pub(crate) mod candidate;
pub(crate) mod code_pattern;
mod definitions;
mod description;
mod hierarchy;
mod outline;
mod references;
mod sources;
pub(crate) mod symbols;
pub(crate) mod syntax_facts;

use std::time::{Duration, Instant};

use ide_protocol::{ErrorCode, IdeError};

use super::source::deadlines::Within;
pub(crate) use definitions::definitions;
pub(crate) use description::description;
pub(crate) use hierarchy::{hierarchy, implementations};
pub(crate) use outline::outline;
pub(crate) use references::references;
pub(crate) use symbols::symbols;

/// How long is looked when there is no time left: to say something late is better than to say nothing.
const MOMENT: Duration = Duration::from_secs(2);

/// How many files of one name are looked into.
const FILES: usize = 400;

/// What a lower tier answers in place of.
#[derive(Clone, Debug)]
pub(crate) struct Instead {
    /// Why no server answers, and what would change that: the beginning of a note.
    pub(crate) why: String,
    /// Until when it is looked.
    pub(crate) until: Instant,
}

impl Instead {
    /// `install` is the command for the server that is missing, where it has not been told yet.
    pub(crate) fn of(why: &IdeError, install: Option<&str>, within: Within) -> Self {
        let message = why.message.trim_end_matches('.');
        let why = match (why.kind, install) {
            (_, Some(command)) => format!("{message} (`{command}` installs it)"),
            (ErrorCode::NotReady, None) => format!("{message}; ask again {}", within.later()),
            _ => message.to_owned(),
        };
        Self { why, until: until(within.deadline) }
    }
}

/// Until when the text is looked through; a moment even when the time for an answer has passed.
pub(crate) fn until(deadline: Instant) -> Instant {
    deadline.max(Instant::now() + MOMENT)
}

/// Whether somebody else may know what this one could not say: it is there no server, or none that is ready or well.
pub(crate) fn is_called_for(error: &IdeError) -> bool {
    matches!(error.kind, ErrorCode::Unavailable | ErrorCode::NotReady | ErrorCode::ServerFailed)
}
