//! What is wrong with the code, as compilers and linters say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Point, Source};

/// Asks what is wrong with a file, with those of a folder, or with all of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsRequest {
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
    /// A file or a folder; without it all of the workspace is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// What is wrong with the text as it is now, never with an older one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsResult {
    /// False while more may come, when files were left out, or when a compiler that knows more did not run.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How many files were looked at.
    pub files: u64,
    /// In order of path and line.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something that is wrong, or odd, with the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The rule that says so: `E0308`, `no-unused-vars`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Who says so: `rustc`, `ty`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The file: relative to the session's root with `/`, or absolute where it lies outside.
    pub path: String,
    /// Where it starts.
    pub start: Point,
    /// Where it ends, exclusive.
    pub end: Point,
}

/// How bad something is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// The code is wrong.
    Error,
    /// It may be.
    Warning,
    /// It is worth knowing.
    Information,
    /// It could be better.
    Hint,
}
