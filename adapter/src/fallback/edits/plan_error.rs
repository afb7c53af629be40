//! The reasons why an edit cannot be planned.

use ide_protocol::{ErrorCode, IdeError};

use crate::fallback::servers::run::convert::workspace_edit::UnsupportedEdit;
use crate::fallback::source::text::ReadError;

/// The maximum number of bytes of new text in one edit.
pub(super) const LARGEST: usize = 16 * 1024 * 1024;

/// The reason why changes cannot be previewed and applied exactly.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanError {
    #[error(transparent)]
    UnsupportedEdit(#[from] UnsupportedEdit),
    #[error("it would change {0}, outside of the workspace")]
    Outside(String),
    #[error("it would change `{0}`, which is version control's own")]
    Private(String),
    #[error("it would delete the folder `{0}`")]
    Folder(String),
    #[error("it would put a file where `{0}` is already")]
    Overwrites(String),
    #[error("`{0}` cannot be changed: {1}")]
    Unreadable(String, ReadError),
    #[error("it would move or delete `{0}`, of which the editor has unsaved changes")]
    Unsaved(String),
    #[error("`{0}` has another text than the one that the change is for")]
    Conflict(String),
    #[error("`{0}` cannot be changed: it is no UTF-8")]
    NotUtf8(String),
    #[error("its changes of `{0}` overlap, or lie beyond its end")]
    Overlapping(String),
    #[error("it would add {} MiB of text; the limit is {} MiB", .0 / 1024 / 1024, LARGEST / 1024 / 1024)]
    TooLarge(usize),
}

impl From<PlanError> for IdeError {
    fn from(unplanned: PlanError) -> Self {
        let error = Self::new(ErrorCode::InvalidRequest, format!("nothing is changed: {unplanned}"));
        match unplanned {
            PlanError::UnsupportedEdit(UnsupportedEdit::Nonsense(_)) | PlanError::Overlapping(_) => {
                Self { kind: ErrorCode::ServerFailed, ..error }
            }
            PlanError::Outside(_) => error.recovery("What is defined there is not yours to change."),
            PlanError::Unsaved(_) => error.recovery("Ask the user to save the file."),
            PlanError::Conflict(_) => {
                error.recovery("Read the file again, and make the change from its new text.")
            }
            PlanError::Overwrites(_) => error.recovery("Give another name, or move that file first."),
            _ => error.recovery("Change the files yourself; findReferences lists the places."),
        }
    }
}
