//! Definitions, references, and the operations that lead from a symbol to others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::completeness::Completeness;
use crate::envelope::Question;
use crate::place::{Definition, FileRange, Location};

/// The subject of a question: a name, a place, or a name pinned to a place. At least one is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// The symbol's name, possibly qualified: `auth::User`, `User.name`. Without a place it means every symbol of
    /// exactly that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A place. With a column and no name: the symbol whose name stands there, used or defined. Without column and
    /// name: the symbols whose name or definition begins on that line; if there are none, all that the line names. With
    /// a name: the definition of that name at this place, or the nearest one in the same file if the file has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Location>,
}

impl Target {
    /// Returns the target for questions about one definition: its name, where that stands.
    pub fn of(definition: &Definition) -> Self {
        Self { name: Some(definition.name.clone()), at: Some(definition.name_at.location()) }
    }
}

/// Asks for the definitions of a symbol; with the methods of `Navigation`, for its declarations, type or
/// implementations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionsQuestion {
    /// The symbol or symbols. For the methods of `Navigation` it is one symbol, given as in `ReferencesRequest`.
    pub target: Target,
    /// True if the uses of the definition are asked for next, in case there is only one. The answer to `definitions` may
    /// then have them already, which saves a request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub references_next: bool,
}

/// The name of [`DefinitionsQuestion::references_next`] on the wire.
pub const REFERENCES_NEXT: &str = "referencesNext";

impl DefinitionsQuestion {
    /// Returns the question for definitions alone.
    pub fn new(target: Target) -> Self {
        Self { target, references_next: false }
    }
}

impl Question for DefinitionsQuestion {
    type Result = DefinitionsResult;
}

/// The definitions of a symbol, or the symbols that it leads to. Empty if nothing has that name, or it leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionsResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The definitions, in order of path and line.
    pub definitions: Vec<Definition>,
    /// If there are no definitions: similar names of symbols, the closest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
    /// The answer to `references` for the only definition, by its name and `nameAt` and without the declaration. Given
    /// only after `referencesNext`; left out if that question has to be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<ReferencesResult>,
}

/// Asks for the uses of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferencesQuestion {
    /// The symbol: `target.name` and `target.at` are given, the place being the `nameAt` of a definition. If the name no
    /// longer stands there, the nearest definition of it in the same file is meant. If there is none, the answer is the
    /// error `notFound`, because an empty list says that the symbol is unused.
    pub target: Target,
    /// True if the declaration itself counts as a reference.
    #[serde(default)]
    pub include_declaration: bool,
}

impl Question for ReferencesQuestion {
    type Result = ReferencesResult;
}

/// The uses of a symbol. Empty if it is unused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferencesResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The uses in order of path and line, each with its line's `text`, the symbol that it is `in`, and its `role`.
    pub references: Vec<FileRange>,
    /// The number of other lines with the same word, without the definition: comments, strings, other symbols of that
    /// name, code that the source did not load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentions: Option<u64>,
    /// Those of these lines that are code and not comments or strings, in order of path and line; definitions of other
    /// symbols only if there are no uses. Left out if it is not known, or if they are more than a few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_mentions: Option<Vec<Location>>,
}
