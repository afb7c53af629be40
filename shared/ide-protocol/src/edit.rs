//! Edits of files: previews, and applying them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::completeness::Completeness;
use crate::envelope::Question;
use crate::navigation::Target;
use crate::place::{FileRange, Point};

/// Asks for the edit that renames a symbol. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenameQuestion {
    /// The symbol, as in `ReferencesRequest`.
    pub target: Target,
    /// The name that the symbol gets: a single one, without its container.
    pub new_name: String,
}

impl Question for RenameQuestion {
    type Result = EditsResult;
}

/// Asks for the code actions at a place: quick fixes, refactorings, and so on. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeActionsQuestion {
    /// The file.
    pub path: String,
    /// The start of the place. Without it the whole file is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Point>,
    /// The end of the place, exclusive. Defaults to the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Point>,
    /// The kind to list, with the kinds below it, as an LSP `CodeActionKind`: `quickfix`, `refactor`,
    /// `source.organizeImports`. All kinds by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl Question for CodeActionsQuestion {
    type Result = CodeActionsResult;
}

/// The code actions at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeActionsResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The actions, the likeliest first, including disabled ones.
    pub actions: Vec<CodeAction>,
}

/// A code action; `takeAction` previews its edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeAction {
    /// The id for `takeAction`, valid in this session until the file changes.
    pub id: String,
    /// A title of a few words.
    pub title: String,
    /// The LSP `CodeActionKind`: `quickfix`, `refactor.extract`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// True for the default choice among the fixes of a problem (LSP `isPreferred`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preferred: bool,
    /// The reason why the action cannot be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
    /// The diagnostics that it fixes, each as `path:line:column: message`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<String>,
}

/// Asks for the edit of a code action. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakeActionQuestion {
    /// The `id` of the code action.
    pub action: String,
}

impl Question for TakeActionQuestion {
    type Result = EditsResult;
}

/// Asks for the edit that formats a file, or a part of it, with its language's formatter. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormatQuestion {
    /// The file.
    pub path: String,
    /// The start of the part. Without it the whole file is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Point>,
    /// The end of the part, exclusive. Defaults to the end of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Point>,
}

impl Question for FormatQuestion {
    type Result = EditsResult;
}

/// Asks for the edit that organizes the imports of a file. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizeImportsQuestion {
    /// The file.
    pub path: String,
}

impl Question for OrganizeImportsQuestion {
    type Result = EditsResult;
}

/// Asks for the edit that gives files new texts. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftQuestion {
    /// The title of the edit, a few words.
    pub title: String,
    /// The files, each once.
    pub files: Vec<FileTexts>,
}

impl Question for DraftQuestion {
    type Result = EditsResult;
}

/// The text of a file before and after an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileTexts {
    /// The file, its whole path.
    pub path: String,
    /// The text that the edit is for; absent if it creates the file. Any other text is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The new text; absent if the edit deletes the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The new path, if the edit moves the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Asks for the texts of the files that edits change, before and after. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditedTextsQuestion {
    /// The `id` of each edit.
    pub edits: Vec<String>,
}

impl Question for EditedTextsQuestion {
    type Result = EditedTextsResult;
}

/// Asks for the texts of the files that the agent has changed in this session, at an earlier point and now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecentChangesQuestion {
    /// The earlier point.
    pub since: ChangePoint,
    /// A file or folder of the work tree that is asked about. Defaults to the session's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Question for RecentChangesQuestion {
    type Result = EditedTextsResult;
}

/// A point in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangePoint {
    /// The one before the last edit.
    Edit,
    /// The user's last prompt.
    Prompt,
    /// The start of the session.
    Session,
}

/// The texts of the files that edits change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditedTextsResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The files, in order of path.
    pub files: Vec<FileTexts>,
}

/// Asks again for edits that were previewed in this session, to show them to the user before they are applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditsQuestion {
    /// The `id` of each edit.
    pub edits: Vec<String>,
}

impl Question for EditsQuestion {
    type Result = EditsResult;
}

/// Previews of edits. It is incomplete if there may be more edits, or one may miss a place that it should reach. The
/// note may also give the reason why there are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditsResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// One edit, or for `edits` each that was asked for. Empty if nothing would change.
    pub edits: Vec<Edit>,
    /// For a rename: other lines that hold the old name, in strings, comments, other files or as the name of another
    /// symbol.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<FileRange>,
    /// The number of `mentions`, including those that were cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentioned: Option<u64>,
}

/// Changes that belong together and are not applied yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    /// The id for `apply`, valid in this session until one of the files changes. The side that answers keeps the rest.
    pub id: String,
    /// A title of a few words.
    pub title: String,
    /// For a code action, its LSP `CodeActionKind`: `quickfix`, `refactor.extract`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The changed files, in order of path.
    pub files: Vec<FileEdit>,
}

/// The part of an edit in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileEdit {
    /// The file, spelled as everywhere else.
    pub path: String,
    /// The number of changed places.
    pub changes: u64,
    /// The lines before and after: `@@ 12`, then lines that begin with `-` and lines that begin with `+`. It may be cut;
    /// its last line then says so.
    pub diff: String,
    /// The number of lines that the diff leaves out; 0 if it is whole.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut: u64,
    /// The operation on the file itself, if it is created, moved or deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<FileOperation>,
    /// The new path of a moved file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Returns true for a count that the wire leaves out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An operation on a whole file (LSP `CreateFile`, `RenameFile`, `DeleteFile`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileOperation {
    /// The file is created.
    Created,
    /// The file is moved to the path in `to`.
    Moved,
    /// The file is deleted.
    Deleted,
}

/// Applies edits. It changes nothing unless every file is the same as when its edit was previewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyQuestion {
    /// The `id` of each edit.
    pub edits: Vec<String>,
}

impl Question for ApplyQuestion {
    type Result = ApplyResult;
}

/// The changed files; all edits were applied. It is incomplete if a file does not hold the written text, for the reason
/// in `note`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The changed files, in order of path.
    pub files: Vec<ChangedFile>,
}

/// A file that an edit changes, creates, moves or deletes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The file, spelled as everywhere else.
    pub path: String,
    /// The number of changed places.
    pub changes: u64,
    /// The operation on the file itself, if it was created, moved or deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<FileOperation>,
    /// The new path of a moved file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}
