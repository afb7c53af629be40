//! Overviews: the outline of a file, symbols by name, files, and the description of a symbol.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::completeness::Completeness;
use crate::envelope::Question;
use crate::navigation::Target;
use crate::place::Definition;

/// Asks for the definitions in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineQuestion {
    /// The file.
    pub path: String,
}

impl Question for OutlineQuestion {
    type Result = OutlineResult;
}

/// The definitions in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The definitions, each before those inside of it. Local variables of functions are left out.
    pub definitions: Vec<Definition>,
}

/// Asks for the symbols with a similar name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolsQuestion {
    /// A part of the name, possibly qualified: `auth::user`. Case and `_` are ignored. If no name contains it, a name
    /// with its letters in their order matches.
    pub query: String,
    /// The file or folder to search. Defaults to the whole workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Question for SymbolsQuestion {
    type Result = SymbolsResult;
}

/// The symbols with a similar name. It is incomplete if some were cut, or there may be more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolsResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The number of symbols, including those that were cut.
    pub total: u64,
    /// The symbols, the likeliest first.
    pub definitions: Vec<Definition>,
}

/// Asks for the files that match a glob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesQuestion {
    /// A pattern as in a `.gitignore`: `*.rs` in any folder, `src/**/*.rs`. A folder means everything in it.
    pub glob: String,
}

impl Question for FilesQuestion {
    type Result = FilesResult;
}

/// The files that match, except those ignored by `.gitignore`. It is incomplete if `paths` was cut or the walk stopped
/// early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The number of matching files, including those that were cut.
    pub total: u64,
    /// The paths, sorted.
    pub paths: Vec<String>,
}

/// Asks for the signature and documentation of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DescriptionQuestion {
    /// The symbol, as in `ReferencesRequest`.
    pub target: Target,
}

impl Question for DescriptionQuestion {
    type Result = DescriptionResult;
}

/// The signature and documentation of a symbol. It is incomplete if `signature` is only the text of the definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DescriptionResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The declaration with its types, as code, without a body.
    pub signature: String,
    /// The documentation as plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
}
