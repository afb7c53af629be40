//! Finding code by how it is written: what is asked, and what comes back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FileRange, Source};

/// Asks what code is written like a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchesRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Milliseconds within which an answer is of use; what is known by then is better than nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Code with holes: `$NAME` stands for one thing, `$$$NAME` for any number of things in a row, a name that stands
    /// twice for the same text; `$_` and `$$$` have no name. The space between, and comments, do not matter.
    pub pattern: String,
    /// A file, a folder or a glob, as in `files`.
    pub path: String,
    /// Only in this language, by its name (`rust`, `C#`) or the end of its files' names (`ts`). Without it, in each
    /// language in which the pattern is code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The code that is written so. Nothing is said of what names in it mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchesResult {
    /// False when `matches` was cut or the search stopped early, and when some files could not be read as code.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How many there are in all, those that were cut included.
    pub total: u64,
    /// In order of path and place; each carries its line's `text`, the symbol that it is `in`, and its `bindings`.
    pub matches: Vec<FileRange>,
}
