//! Changes to files: what they would be, and making them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FileRange, Point, Source, Target};

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

/// Asks what may be done about a place: fixes of what is wrong there, refactorings, and so on. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeActionsRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Where progress of this request is reported, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<String>,
    /// Milliseconds within which an answer is of use; what is known by then is better than nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Milliseconds to wait for a source that is still loading; 0 is not at all. Without it, as long as the deadline
    /// allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// The file.
    pub path: String,
    /// Where it starts in the file; without it all of the file is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Point>,
    /// Where it ends, exclusive; without it, or where it starts, the place is a point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Point>,
    /// Only those of this kind or of one below it, in LSP's words: `quickfix`, `refactor`, `source.organizeImports`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// What may be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeActionsResult {
    /// False while more may come.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The likeliest first; those that cannot be taken say why.
    pub actions: Vec<CodeAction>,
}

/// Something that may be done; `takeAction` says what it would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeAction {
    /// What `takeAction` knows it by in this session, as long as the file does not change.
    pub id: String,
    /// What it does, in a few words.
    pub title: String,
    /// Its kind in LSP's words: `quickfix`, `refactor.extract`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether it is what one would do by default about what it fixes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preferred: bool,
    /// Why it cannot be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
    /// What it fixes, each as `path:line:column: message`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<String>,
}

/// Asks what a code action would change. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakeActionRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Where progress of this request is reported, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<String>,
    /// Milliseconds within which an answer is of use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Milliseconds to wait for a source that is still loading; 0 is not at all. Without it, as long as the deadline
    /// allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// The `id` of the code action.
    pub action: String,
}

/// Asks what laying out a file, or a part of it, as its language's formatter does would change. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormatRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Where progress of this request is reported, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<String>,
    /// Milliseconds within which an answer is of use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Milliseconds to wait for a source that is still loading; 0 is not at all. Without it, as long as the deadline
    /// allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// The file.
    pub path: String,
    /// Where the part starts; without it all of the file is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Point>,
    /// Where it ends, exclusive; without it at the end of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Point>,
}

/// Asks what putting the imports of a file in order would change. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizeImportsRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Where progress of this request is reported, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<String>,
    /// Milliseconds within which an answer is of use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Milliseconds to wait for a source that is still loading; 0 is not at all. Without it, as long as the deadline
    /// allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// The file.
    pub path: String,
}

/// Asks again what edits would change that were given in this session, to show it to the user before they are made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditsRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// The `id` of each edit.
    pub edits: Vec<String>,
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
    /// The one edit, or of `edits` each that was asked for. None when nothing would change.
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
    /// What becomes of the file itself, where it does not stay where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
    /// Where it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// What becomes of a file that does not stay where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// It is new.
    Created,
    /// It is moved, to where `to` says.
    Moved,
    /// It is no more.
    Deleted,
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
    /// What became of the file itself, where it did not stay where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
    /// Where it was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}
