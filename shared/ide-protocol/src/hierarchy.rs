//! Call hierarchy and type hierarchy.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::completeness::Completeness;
use crate::envelope::Question;
use crate::navigation::Target;
use crate::place::{Definition, FileRange};

/// Asks for the calls or type relations that start at one symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HierarchyQuestion {
    /// The symbol, as in `ReferencesRequest`.
    pub target: Target,
    /// The number of steps: 1 means its callers, 2 also their callers.
    #[serde(default = "one")]
    pub depth: u32,
}

impl Question for HierarchyQuestion {
    type Result = HierarchyResult;
}

fn one() -> u32 {
    1
}

/// The calls or type relations around a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HierarchyResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The links, the nearest first, then in order of path and line. Each occurs once, even in a cycle.
    pub links: Vec<Link>,
}

/// A call, or a relation of a type to a type that it extends or implements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// The caller, or the type that extends.
    pub from: Definition,
    /// The function called, or the type extended.
    pub to: Definition,
    /// The calls' ranges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<FileRange>,
}
