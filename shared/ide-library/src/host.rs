//! The seam where the outside comes in: whoever answers questions about the user's code.

use futures::future::BoxFuture;
use ide_protocol::{DefinitionsResult, IdeError, Line, LinesResult, ReferencesResult, SearchResult, Target};
use serde::Serialize;

/// An answer that is on its way. Dropping it withdraws the question.
pub type Answer<'host, T> = BoxFuture<'host, Result<T, IdeError>>;

/// Answers questions about the code of one session.
///
/// A question is its request of `ide-protocol` without session, progress token and deadline, which are the
/// implementor's: serialized, it has the request's remaining fields.
pub trait Host: Send + Sync {
    /// Where a symbol is defined.
    fn definitions(&self, question: DefinitionsQuestion) -> Answer<'_, DefinitionsResult>;

    /// Where a symbol is used.
    fn references(&self, question: ReferencesQuestion) -> Answer<'_, ReferencesResult>;

    /// Which lines match a pattern.
    fn search(&self, question: SearchQuestion) -> Answer<'_, SearchResult>;

    /// What some lines of a file say.
    fn lines(&self, question: LinesQuestion) -> Answer<'_, LinesResult>;
}

/// The part of [`ide_protocol::DefinitionsRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionsQuestion {
    /// Of what.
    pub target: Target,
}

/// The part of [`ide_protocol::ReferencesRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferencesQuestion {
    /// Of what; `target.at` is given.
    pub target: Target,
    /// Whether the declaration itself counts as a reference.
    pub include_declaration: bool,
}

/// The part of [`ide_protocol::SearchRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchQuestion {
    /// A file or a folder, relative to the session's root.
    pub path: String,
    /// A regular expression in the syntax of Rust's `regex` crate, matched line by line.
    pub pattern: String,
    /// Only files whose name ends so: `.rs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
}

/// The part of [`ide_protocol::LinesRequest`] that the library decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinesQuestion {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first: Line,
    /// The last line, inclusive; beyond the end means to the end.
    pub last: Line,
}
