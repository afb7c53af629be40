//! Changes to files: what they would be, and making them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FileRange, Source, Target};

/// Asks what renaming a symbol would change. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenameRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Where progress of this request is reported, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<String>,
    /// Milliseconds within which an answer is of use; what is known by then is better than nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Milliseconds to wait for a source that is still loading, before a lower tier answers; 0 is not at all. Without it,
    /// as long as the deadline allows. Whoever is ready may always take until the deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// Of what; as in `ReferencesRequest`.
    pub target: Target,
    /// What it is to be called.
    pub new_name: String,
}

/// What would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditsResult {
    /// False when these edits may not be all, or one may not reach every place that it should.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, or why there are none, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Each by itself: they are alternatives unless the operation says otherwise. None when nothing would change.
    pub edits: Vec<Edit>,
    /// Of a rename: lines beyond the edit that hold the old name, in strings, comments, other files or as the name of
    /// something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<FileRange>,
    /// How many there are of `mentions`, those that were cut included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentioned: Option<u64>,
}

/// Changes that belong together and are not made yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    /// What `apply` knows it by in this session, as long as no file of it changes: whoever answers keeps the rest.
    pub id: String,
    /// What it does, in a few words.
    pub title: String,
    /// Of a code action, its kind in LSP's words: `quickfix`, `refactor.extract`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// In order of path.
    pub files: Vec<FileEdit>,
}

/// What an edit changes in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileEdit {
    /// The file, spelled as everywhere else.
    pub path: String,
    /// In how many places.
    pub changes: u64,
    /// The lines as they are and as they would be: `@@ 12`, then lines with `-` and lines with `+` in front. For a
    /// reader: it may be cut, and says so.
    pub diff: String,
}

/// Makes changes. Nothing is changed unless every file still is what its edit was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Milliseconds within which an answer is of use. What has begun is brought to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// The `id` of each edit.
    pub edits: Vec<String>,
}

/// What was changed: all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyResult {
    /// False when a file does not hold what was to be written, for the reason in `note`.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// What is odd about it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// In order of path.
    pub files: Vec<ChangedFile>,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The file, spelled as everywhere else.
    pub path: String,
    /// In how many places.
    pub changes: u64,
}
