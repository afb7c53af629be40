//! Code that matches a syntax pattern.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::completeness::Completeness;
use crate::envelope::Question;
use crate::place::FileRange;

/// Asks for the code that matches a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchesQuestion {
    /// Code with holes: `$NAME` stands for one thing, `$$$NAME` for any number of things in a row. A name that occurs
    /// twice stands for the same text; `$_` and `$$$` have no name. Whitespace and comments do not matter.
    pub pattern: String,
    /// A file, a folder or a glob, as in `files`.
    pub path: String,
    /// The language to search, by its name (`rust`, `C#`) or the extension of its files (`ts`). By default, each language
    /// in which the pattern is code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

impl Question for MatchesQuestion {
    type Result = MatchesResult;
}

/// The code that matches; names in it are not resolved. It is incomplete if `matches` was cut, the search stopped
/// early, or some files could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchesResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The number of matches, including those that were cut.
    pub total: u64,
    /// The matches in order of path and place, each with its line's `text`, the symbol that it is `in`, and its
    /// `bindings`.
    pub matches: Vec<FileRange>,
}
