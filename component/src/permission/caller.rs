//! The call that needs a permission, and how it waits for one.

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::asker::Asked;
use super::changes::Changes;
use crate::acp::upstream::ProgressStep;

/// A call of the tool, as the user sees it in a question.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) session: String,
    /// The folder of the session, to which lasting permissions belong.
    pub(crate) workspace: Option<PathBuf>,
    pub(crate) program: String,
    /// The edits that the program would make, where a dry run found them.
    pub(crate) changes: Option<Changes>,
    pub(crate) asked: Asked,
}

/// The way in which a call waits for the user.
pub(crate) struct Waiting {
    /// The receiver of progress.
    pub(crate) steps: UnboundedSender<ProgressStep>,
    /// The time that the call waits; the question stays open longer.
    pub(crate) patience: Duration,
}
