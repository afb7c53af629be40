//! The contents of files and types as data: definitions, members, exports and imports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::completeness::Completeness;
use crate::envelope::Question;
use crate::navigation::Target;
use crate::place::{Definition, FileRange, is_false};

/// Asks for the definitions in files, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDefinitionsQuestion {
    /// A file, a folder or a glob, as in `files`.
    pub path: String,
    /// Only definitions of this kind, in the words of a definition's `kind`. Another word is the error `invalidRequest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl Question for FileDefinitionsQuestion {
    type Result = FileDefinitionsResult;
}

/// The definitions in files. It is incomplete if `definitions` was cut, or some files could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDefinitionsResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The number of definitions, including those that were cut.
    pub total: u64,
    /// The definitions in order of path and place, each before those inside of it. Local variables are left out.
    pub definitions: Vec<Definition>,
}

/// Asks for the members that a type itself declares, not for those that it inherits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MembersQuestion {
    /// The type, as in `ReferencesRequest`.
    pub target: Target,
}

impl Question for MembersQuestion {
    type Result = MembersResult;
}

/// The members of a type, in all parts of it. It is incomplete if parts of it may be elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MembersResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The members: first those of the definition itself, then those of other parts in order of path.
    pub definitions: Vec<Definition>,
}

/// Asks for the definitions that a module offers to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportsQuestion {
    /// The module's file. A folder stands for its index file.
    pub path: String,
}

impl Question for ExportsQuestion {
    type Result = ExportsResult;
}

/// The definitions that a module offers. It is incomplete if an export leads out of the workspace, or nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportsResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The definitions: first the module's own, then those that it passes on, in the order of its statements. One that
    /// it passes on under another name has that name, and the place of that name.
    pub definitions: Vec<Definition>,
}

/// Asks for the imports of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportsQuestion {
    /// The file.
    pub path: String,
}

impl Question for ImportsQuestion {
    type Result = ImportsResult;
}

/// Asks for the imports of a file or a package, in all files of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportersQuestion {
    /// A file or a folder of the workspace, or the name of a package.
    pub path: String,
}

impl Question for ImportersQuestion {
    type Result = ImportsResult;
}

/// Imports. They are incomplete if some files could not be parsed, or `imports` was cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportsResult {
    /// The coverage and source of the result.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The number of imports, including those that were cut.
    pub total: u64,
    /// The imports in order of path and place.
    pub imports: Vec<Import>,
}

/// An import of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Import {
    /// The place of the module's name in the file that imports, with `test` and what it is `in`.
    pub at: FileRange,
    /// The module as written: `./user`, `crate::auth`, `..models`.
    pub module: String,
    /// The imported names: `login`, `login as enter`, `*`. Empty if the module itself is imported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The file of the module, if it lies in the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// True if the module lies outside the workspace: a dependency, the standard library. With neither `file` nor this,
    /// it was not found.
    #[serde(default, skip_serializing_if = "is_false")]
    pub external: bool,
}
