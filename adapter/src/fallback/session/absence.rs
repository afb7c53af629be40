//! Reasons why a session has no server for a language, with advice.

use ide_protocol::{ErrorCode, IdeError};

use crate::fallback::servers::find::detect::DetectedLanguages;
use crate::fallback::source::languages;
use crate::fallback::source::languages::Language;

/// The reason why there is no server.
pub(super) struct Absence {
    pub(super) error: IdeError,
    /// `true` if the reason is that the workspace is restricted.
    pub(super) lacks_trust: bool,
    /// The install command.
    pub(super) install: Option<&'static str>,
}

impl From<IdeError> for Absence {
    fn from(error: IdeError) -> Self {
        Self { error, lacks_trust: false, install: None }
    }
}

/// Returns the error for a private folder that cannot be created.
pub(super) fn unconfined(error: std::io::Error) -> Absence {
    let message = format!("the folder of the workspace's confined servers cannot be made: {error}");
    let advice =
        "Make the cache folder writable (`XDG_CACHE_HOME`) and ask again. `search` and `lines` work.";
    IdeError::new(ErrorCode::Unavailable, message).recovery(advice).into()
}

/// Returns the error for a workspace with files of a language and no project.
pub(super) fn no_project(language: &Language) -> IdeError {
    let markers = language.markers.join(" or ");
    let message =
        format!("the workspace holds {} files but no project: there is no {markers}", language.name);
    IdeError::new(ErrorCode::Unavailable, message).recovery("`search` and `lines` work.")
}

/// Returns the error for a workspace without a known language.
pub(super) fn no_language(detected: &DetectedLanguages) -> IdeError {
    let there = match detected.commonest() {
        kinds if kinds.is_empty() => "no source files were found".to_owned(),
        kinds => format!("the workspace holds {kinds} files"),
    };
    let message = format!(
        "no language server is known for this workspace: {there}; known are those for {}",
        languages::names()
    );
    IdeError::new(ErrorCode::Unavailable, message).recovery("`search` and `lines` work in every workspace.")
}
