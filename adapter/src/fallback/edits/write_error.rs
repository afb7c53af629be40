//! Reasons why an edit was not written.

use ide_protocol::{ErrorCode, IdeError};
use serde::{Deserialize, Serialize};

/// The reason why nothing was changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub(crate) enum WriteError {
    #[error("`{0}` has changed since the edit was made; nothing was changed")]
    Changed(String),
    #[error("the editor has unsaved changes of `{0}`; nothing was changed")]
    Unsaved(String),
    #[error("`{0}` cannot be written: {1}; nothing was changed")]
    Refused(String, String),
    #[error(
        "`{path}` cannot be written: {reason}; these were written before it and could not be put back: {left}"
    )]
    Half { path: String, reason: String, left: String },
}

impl WriteError {
    /// Returns the error with the files that could not be put back, if there are any.
    pub(super) fn leaving(self, left: Vec<String>) -> Self {
        let left = left.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
        match self {
            why if left.is_empty() => why,
            Self::Refused(path, reason) => Self::Half { path, reason, left },
            Self::Changed(path) => Self::Half { path, reason: "it has changed meanwhile".into(), left },
            Self::Half { path, reason, left: more } => {
                Self::Half { path, reason, left: format!("{left}, {more}") }
            }
            why @ Self::Unsaved(_) => why,
        }
    }
}

impl From<WriteError> for IdeError {
    fn from(unwritten: WriteError) -> Self {
        let message = unwritten.to_string();
        match unwritten {
            WriteError::Changed(_) => Self::new(ErrorCode::InvalidRequest, message)
                .recovery("Make the edit again, look at it, and apply that one."),
            WriteError::Unsaved(_) => Self::new(ErrorCode::InvalidRequest, message)
                .recovery("Ask the user to save the file, and make the edit again."),
            WriteError::Refused(..) => Self::new(ErrorCode::ServerFailed, message)
                .recovery("Tell the user; the edit can be applied again."),
            WriteError::Half { .. } => Self::new(ErrorCode::ServerFailed, message).recovery(
                "Tell the user which files are changed by half; version control can bring them back.",
            ),
        }
    }
}
