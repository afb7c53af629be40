//! Diagnostics: the errors and warnings of compilers and linters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::completeness::Completeness;
use crate::envelope::Question;
use crate::place::Point;

/// Asks for the diagnostics of a file, of a folder, or of the whole workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsQuestion {
    /// A file or a folder. Defaults to the whole workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Files in whose languages diagnostics are wanted: an edit of these breaks nothing elsewhere. Defaults to all
    /// languages. The answer may have more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages_of: Vec<String>,
}

impl Question for DiagnosticsQuestion {
    type Result = DiagnosticsResult;
}

/// The diagnostics of the current text, never of an older version. It is incomplete if files were left out, or a
/// compiler that knows more did not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The number of files that were checked.
    pub files: u64,
    /// The diagnostics, in order of path and line.
    pub diagnostics: Vec<Diagnostic>,
}

/// One problem in the code (LSP `Diagnostic`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The severity; `error` if the source names none.
    pub severity: Severity,
    /// The words of the compiler or linter, which may have several lines.
    pub message: String,
    /// The violated rule: `E0308`, `no-unused-vars`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The compiler or linter: `rustc`, `ty`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The file: relative to the session's root with `/`, or absolute if it lies outside.
    pub path: String,
    /// The first character that the diagnostic is about.
    pub start: Point,
    /// The end, exclusive.
    pub end: Point,
}

/// The severity of a diagnostic, the worst first (LSP `DiagnosticSeverity`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// The code is wrong.
    Error,
    /// The code may be wrong.
    Warning,
    /// A remark.
    Information,
    /// A possible improvement.
    Hint,
}
