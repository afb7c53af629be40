//! Text: searched lines, lines of a file, and the user's selection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::completeness::Completeness;
use crate::envelope::Question;
use crate::place::{FileRange, Line, Selection};

/// Asks for the lines that match a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchQuestion {
    /// A file or a folder, relative to the session's root: `src`, `.`.
    pub path: String,
    /// A regular expression in the syntax of Rust's `regex` crate, matched line by line.
    pub pattern: String,
    /// The suffix of the file names to search: `.rs`. All files by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// The number of hits, from the first, for which the code around them is wanted: `in`, `inKind`, `inLine`, `role`,
    /// `signature`, `public` and `test`. All by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
}

impl SearchQuestion {
    /// Creates a question about all files, with the code around all hits.
    pub fn new(path: impl Into<String>, pattern: impl Into<String>) -> Self {
        Self { path: path.into(), pattern: pattern.into(), extension: None, context: None }
    }
}

impl Question for SearchQuestion {
    type Result = SearchResult;
}

/// The lines that match. It is incomplete if `hits` was cut or the search stopped early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The number of matching lines, including those that were cut.
    pub total: u64,
    /// The first match of each line, in order of path and line.
    pub hits: Vec<FileRange>,
    /// The number of hits, from the first, that have the code around them, if `context` of the question left it out for
    /// others. Who pays no attention to that leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_context: Option<u64>,
}

/// Asks for the code around hits of a search that left it out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HitContextQuestion {
    /// The file or folder that was searched.
    pub path: String,
    /// The hits, as the search gave them.
    pub hits: Vec<FileRange>,
}

impl Question for HitContextQuestion {
    type Result = HitContextResult;
}

/// The same hits with the code around them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HitContextResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The hits in the same order, as the search would have given them. One whose line has changed since stays as it is.
    pub hits: Vec<FileRange>,
}

/// Asks for lines of a file. The text of an unsaved editor buffer counts before the file on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinesQuestion {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first: Line,
    /// The last line, inclusive. A line beyond the end means the end of the file.
    pub last: Line,
}

impl Question for LinesQuestion {
    type Result = LinesResult;
}

/// Lines of a file. It is incomplete if the lines were cut at a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinesResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The file, spelled as everywhere else.
    pub path: String,
    /// True for a file outside the session's roots.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
    /// The number of lines in the file.
    pub line_count: u64,
    /// The requested lines that the file has.
    pub lines: Vec<SourceLine>,
}

/// One line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceLine {
    /// The number of the line, from 1.
    pub line: Line,
    /// The text of the line without the line break.
    pub text: String,
}

/// Asks for the whole text of a file. The text of an unsaved editor buffer counts before the file on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextQuestion {
    /// The file. Its whole path is needed, from the session's root or absolute.
    pub path: String,
}

impl Question for TextQuestion {
    type Result = TextResult;
}

/// The whole text of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The file, spelled as everywhere else.
    pub path: String,
    /// The text with its line breaks, without a byte order mark.
    pub text: String,
}

/// Asks for the user's selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectionQuestion {}

impl Question for SelectionQuestion {
    type Result = SelectionResult;
}

/// The user's selection. It is incomplete if there are more selections than these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectionResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The selections, the latest first; one for each cursor. Empty if the user looks at no file.
    pub selections: Vec<Selection>,
}
