//! The operations of version 1: what is asked, and what comes back.
//!
//! Every request names its session (`sessionId`, ACP's) and may carry a `progressToken`; every result says
//! whether it is `complete` and who gave it (`source`).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Definition, FileRange, Line, Location, Selection};

/// One kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Where something is defined: [`DefinitionsRequest`], [`DefinitionsResult`].
    Definitions,
    /// Where something is declared, apart from its definition: [`DefinitionsRequest`], [`DefinitionsResult`].
    Declarations,
    /// Where the type of something is defined: [`DefinitionsRequest`], [`DefinitionsResult`].
    TypeDefinitions,
    /// What implements something: [`DefinitionsRequest`], [`DefinitionsResult`].
    Implementations,
    /// Where something is used: [`ReferencesRequest`], [`ReferencesResult`].
    References,
    /// Who calls something: [`HierarchyRequest`](crate::HierarchyRequest), [`HierarchyResult`](crate::HierarchyResult).
    Callers,
    /// What something calls: [`HierarchyRequest`](crate::HierarchyRequest), [`HierarchyResult`](crate::HierarchyResult).
    Callees,
    /// What a type extends or implements: [`HierarchyRequest`](crate::HierarchyRequest), [`HierarchyResult`](crate::HierarchyResult).
    Supertypes,
    /// What extends or implements a type: [`HierarchyRequest`](crate::HierarchyRequest), [`HierarchyResult`](crate::HierarchyResult).
    Subtypes,
    /// What a symbol is: [`DescriptionRequest`](crate::DescriptionRequest), [`DescriptionResult`](crate::DescriptionResult).
    Description,
    /// What a file defines: [`OutlineRequest`](crate::OutlineRequest), [`OutlineResult`](crate::OutlineResult).
    Outline,
    /// Which symbols have a name like this: [`SymbolsRequest`](crate::SymbolsRequest), [`SymbolsResult`](crate::SymbolsResult).
    Symbols,
    /// Which files there are: [`FilesRequest`](crate::FilesRequest), [`FilesResult`](crate::FilesResult).
    Files,
    /// What is wrong with the code: [`DiagnosticsRequest`](crate::DiagnosticsRequest), [`DiagnosticsResult`](crate::DiagnosticsResult).
    Diagnostics,
    /// Which lines match a pattern: [`SearchRequest`], [`SearchResult`].
    Search,
    /// What code is written like a pattern: [`MatchesRequest`](crate::MatchesRequest), [`MatchesResult`](crate::MatchesResult).
    Matches,
    /// What some lines of a file say: [`LinesRequest`], [`LinesResult`].
    Lines,
    /// What the user has selected: [`SelectionRequest`], [`SelectionResult`].
    Selection,
    /// What renaming something would change: [`RenameRequest`](crate::RenameRequest), [`EditsResult`](crate::EditsResult).
    Rename,
    /// What may be done about a place: [`CodeActionsRequest`](crate::CodeActionsRequest),
    /// [`CodeActionsResult`](crate::CodeActionsResult).
    CodeActions,
    /// What one of them would change: [`TakeActionRequest`](crate::TakeActionRequest), [`EditsResult`](crate::EditsResult).
    TakeAction,
    /// What laying out a file would change: [`FormatRequest`](crate::FormatRequest), [`EditsResult`](crate::EditsResult).
    Format,
    /// What putting its imports in order would change: [`OrganizeImportsRequest`](crate::OrganizeImportsRequest),
    /// [`EditsResult`](crate::EditsResult).
    OrganizeImports,
    /// What given edits would change, once more: [`EditsRequest`](crate::EditsRequest), [`EditsResult`](crate::EditsResult).
    Edits,
    /// Makes changes: [`ApplyRequest`](crate::ApplyRequest), [`ApplyResult`](crate::ApplyResult).
    Apply,
}

impl Operation {
    /// What every method of ours starts with.
    pub const PREFIX: &'static str = "_ide_operations/";

    /// All operations of version 1.
    pub const ALL: [Self; 25] = [
        Self::Definitions,
        Self::Declarations,
        Self::TypeDefinitions,
        Self::Implementations,
        Self::References,
        Self::Callers,
        Self::Callees,
        Self::Supertypes,
        Self::Subtypes,
        Self::Description,
        Self::Outline,
        Self::Symbols,
        Self::Files,
        Self::Diagnostics,
        Self::Search,
        Self::Matches,
        Self::Lines,
        Self::Selection,
        Self::Rename,
        Self::CodeActions,
        Self::TakeAction,
        Self::Format,
        Self::OrganizeImports,
        Self::Edits,
        Self::Apply,
    ];

    /// The name in the capability's list and in the method: `references`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Definitions => "definitions",
            Self::Declarations => "declarations",
            Self::TypeDefinitions => "typeDefinitions",
            Self::Implementations => "implementations",
            Self::References => "references",
            Self::Callers => "callers",
            Self::Callees => "callees",
            Self::Supertypes => "supertypes",
            Self::Subtypes => "subtypes",
            Self::Description => "description",
            Self::Outline => "outline",
            Self::Symbols => "symbols",
            Self::Files => "files",
            Self::Diagnostics => "diagnostics",
            Self::Search => "search",
            Self::Matches => "matches",
            Self::Lines => "lines",
            Self::Selection => "selection",
            Self::Rename => "rename",
            Self::CodeActions => "codeActions",
            Self::TakeAction => "takeAction",
            Self::Format => "format",
            Self::OrganizeImports => "organizeImports",
            Self::Edits => "edits",
            Self::Apply => "apply",
        }
    }

    /// Whether it is about changes, so that whoever answers it also has to make them: [`Operation::Apply`] knows only the
    /// edits of the one who gave them.
    pub fn is_about_changes(self) -> bool {
        use Operation::{Apply, CodeActions, Edits, Format, OrganizeImports, Rename, TakeAction};
        matches!(self, Rename | CodeActions | TakeAction | Format | OrganizeImports | Edits | Apply)
    }

    /// The ACP extension method: `_ide_operations/references`.
    pub fn method(self) -> String {
        format!("{}{}", Self::PREFIX, self.name())
    }

    /// The operation of an extension method, if version 1 has it.
    pub fn from_method(method: &str) -> Option<Self> {
        Self::from_name(method.strip_prefix(Self::PREFIX)?)
    }

    /// The operation of that name, if version 1 has it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// A way from a symbol to others: the operations that ask and answer as `definitions` does, about one symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Navigation {
    /// To its declarations, apart from its definition.
    Declarations,
    /// To the definition of its type.
    TypeDefinitions,
    /// To what implements it.
    Implementations,
}

impl Navigation {
    /// The operation that goes this way.
    pub fn operation(self) -> Operation {
        match self {
            Self::Declarations => Operation::Declarations,
            Self::TypeDefinitions => Operation::TypeDefinitions,
            Self::Implementations => Operation::Implementations,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who answered, as text: `editor`, `language-server:rust-analyzer`, `syntax`, `text`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Source(pub String);

/// What a question is about: a name, a place, or a name pinned to a place. At least one is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// The symbol's name. Alone: every symbol of exactly that name. It may come qualified: `auth::User`,
    /// `User.name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A place. Alone, with a column: the symbol whose name stands there, used or defined. Alone, without
    /// one: whatever is defined on that line, that is, whose name stands on it or whose definition begins
    /// on it; when nothing is, everything that the line names. With a name: the definition of that name at this place, or, when the file has moved on
    /// since, the nearest one in the same file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Location>,
}

/// Asks where a symbol is defined; or, with the methods of [`Navigation`], for its declarations, type or
/// implementations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionsRequest {
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
    /// Of what. Where one symbol is meant, as with the methods of [`Navigation`], `target` is as in
    /// [`ReferencesRequest`].
    pub target: Target,
}

/// Where a symbol is defined, or what it leads to: none when nothing has that name, or it leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionsResult {
    /// False while more may come: indexing, a lower tier, a limit.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// In order of path and line.
    pub definitions: Vec<Definition>,
    /// When there are none: names of symbols close to the one asked for, the closest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}

/// Asks where a symbol is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferencesRequest {
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
    /// Of what; `target.name` and `target.at` are given, the place being the `name_at` of a definition. When
    /// that name no longer stands there, the nearest definition of it in the same file is meant, and when
    /// there is none the answer is the error `notFound`: an empty list says that there are no uses.
    pub target: Target,
    /// Whether the declaration itself counts as a reference.
    #[serde(default)]
    pub include_declaration: bool,
}

/// Where a symbol is used: empty when it is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferencesResult {
    /// False while more may come: indexing, a lower tier, a limit.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// In order of path and line; each carries its line's `text`, the symbol that it is `in`, and its `role`.
    pub references: Vec<FileRange>,
    /// Lines outside these references (and outside the definition) that hold the same word: comments,
    /// strings, other symbols of that name, code that the source did not load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentions: Option<u64>,
}

/// Asks which lines match a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// Milliseconds within which an answer is of use; what is known by then is better than nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// A file or a folder, relative to the session's root: `src`, `.`.
    pub path: String,
    /// A regular expression in the syntax of Rust's `regex` crate, matched line by line.
    pub pattern: String,
    /// Only files whose name ends so: `.rs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
}

/// Which lines match: one range a line, its first match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    /// False when `hits` was cut or the search stopped early.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How many lines match in all, those that were cut included.
    pub total: u64,
    /// In order of path and line.
    pub hits: Vec<FileRange>,
}

/// Asks for lines of a file, as the user would see them: an unsaved buffer counts before the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinesRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first: Line,
    /// The last line, inclusive; beyond the end means to the end.
    pub last: Line,
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinesResult {
    /// False when the lines were cut at a limit.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, or what is odd about the text, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The file, spelled as everywhere else.
    pub path: String,
    /// True for a file outside the session's roots.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
    /// How many lines the file has.
    pub line_count: u64,
    /// The lines asked for that the file has.
    pub lines: Vec<SourceLine>,
}

/// One line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceLine {
    /// Its number, from 1.
    pub line: Line,
    /// Its text without the line break.
    pub text: String,
}

/// Asks what the user has selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectionRequest {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
}

/// What the user has selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectionResult {
    /// False when there are more selections than these.
    pub complete: bool,
    /// Who answered.
    pub source: Source,
    /// Why it is not complete, or what is odd about the selections, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The one that the user made last, first: several where there are several cursors; none where the user looks at
    /// no file.
    pub selections: Vec<Selection>,
}
