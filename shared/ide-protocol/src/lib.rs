//! The wire between the component and whoever answers for the IDE: an editor, or the adapter in its place.
//!
//! Requests are ACP extension requests `_ide_operations/<operation>`; `EDITORS.md` describes them for
//! authors of editors. Nothing here does IO.

mod capability;
mod diagnostics;
mod edit;
mod error;
mod hierarchy;
mod matches;
mod operation;
mod place;
mod progress;
mod survey;

pub use capability::{Support, read_capability, write_capability};
pub use diagnostics::{Diagnostic, DiagnosticsRequest, DiagnosticsResult, Severity};
pub use edit::{
    ApplyRequest, ApplyResult, ChangedFile, CodeAction, CodeActionsRequest, CodeActionsResult, Edit,
    EditsRequest, EditsResult, Fate, FileEdit, FormatRequest, OrganizeImportsRequest, RenameRequest,
    TakeActionRequest,
};
pub use error::{ErrorCode, IdeError};
pub use hierarchy::{Hierarchy, HierarchyRequest, HierarchyResult, Link};
pub use matches::{MatchesRequest, MatchesResult};
pub use operation::{
    DefinitionsRequest, DefinitionsResult, LinesRequest, LinesResult, Navigation, Operation,
    ReferencesRequest, ReferencesResult, SearchRequest, SearchResult, SelectionRequest, SelectionResult,
    Source, SourceLine, Target,
};
pub use place::{Column, Definition, FileRange, Line, Location, Point, Selection};
pub use progress::{PROGRESS_METHOD, Progress};
pub use survey::{
    DescriptionRequest, DescriptionResult, FilesRequest, FilesResult, OutlineRequest, OutlineResult,
    SymbolsRequest, SymbolsResult,
};

/// The version of the protocol described here, as the capability carries it.
pub const VERSION: u32 = 1;
