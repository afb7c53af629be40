//! Questions that look around: what a file defines, which symbols and files there are, what a symbol is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Definition, Source, Target};

/// Asks what a file defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineRequest {
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
    /// The file.
    pub path: String,
}

/// What a file defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineResult {
    /// False while more may come: indexing, a lower tier, a limit.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Each before those inside of it; variables of functions are left out.
    pub definitions: Vec<Definition>,
}

/// Asks which symbols have a name like this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolsRequest {
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
    /// A part of the name, without regard to case and `_`; when no name has it, its letters in their order. It may
    /// come qualified: `auth::user`.
    pub query: String,
    /// Only those in this file or folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Which symbols have such a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolsResult {
    /// False when some were cut, or while more may come.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How many there are, those that were cut included.
    pub total: u64,
    /// The likeliest first.
    pub definitions: Vec<Definition>,
}

/// Asks which files there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Milliseconds within which an answer is of use; what is known by then is better than nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// As in a `.gitignore`: `*.rs` in any folder, `src/**/*.rs`; or a folder, for everything in it.
    pub glob: String,
}

/// Which files match, without those that `.gitignore` names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesResult {
    /// False when `paths` was cut or the walk stopped early.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How many files match in all, those that were cut included.
    pub total: u64,
    /// In order.
    pub paths: Vec<String>,
}

/// Asks what a symbol is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DescriptionRequest {
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
}

/// What a symbol is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DescriptionResult {
    /// False while more may come, or when `signature` is only the text of the definition.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Its declaration with its types, as code, without a body.
    pub signature: String,
    /// Its documentation as plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
}
