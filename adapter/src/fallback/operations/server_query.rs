//! A query of a language server as a trait, with the answer of the syntax where no server can.

use ide_protocol::{IdeError, Reason};
use serde::Serialize;
use serde_json::Value;

use super::handler::Call;
use crate::fallback::session::Session;
use crate::fallback::session::completeness::Qualified;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::Language;
use crate::fallback::syntactic::FallbackReason;

/// A query that the server of one language answers; [`dispatch`](super::dispatch) sends it.
pub(crate) trait ServerQuery {
    type Answer: Qualified + Clone + Serialize + Send + Sync + 'static;

    /// The cases in which the syntax answers instead of a server.
    const SYNTAX: SyntacticAnswer = SyntacticAnswer::Never;

    /// `false` if a server of the editor's is not asked: its commands would change files, and what it offers is not known
    /// to ours.
    const IS_LENT: bool = true;

    /// Asks a server that is ready and synchronized. It may be called again, when the server dies or files
    /// change.
    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<Self::Answer, Problem>;

    /// Answers from the syntax; `None` if that has nothing to say. It is called as [`SYNTAX`](Self::SYNTAX)
    /// allows.
    async fn ask_syntax(
        &self,
        _session: &Session,
        _language: &'static Language,
        _reason: &FallbackReason,
    ) -> Option<Self::Answer> {
        None
    }

    /// Returns the error to report, if the syntax is not to answer after the server's error.
    fn refuse_syntax(&self, _call: &Call, _language: &'static Language, _why: &IdeError) -> Option<IdeError> {
        None
    }

    /// Returns whether an answer may lack what its server does not know.
    fn openness(&self, _answer: &Self::Answer) -> Openness {
        Openness::Open
    }

    /// Returns what tells this query from others of the session, if its answers are cached.
    fn cache_key(&self) -> Option<Value> {
        None
    }
}

/// A query that the servers of several languages answer; [`every_language`](super::every_language) sends it.
pub(crate) trait MergedQuery: ServerQuery {
    /// Merges the answers, of which there is at least one.
    fn merge(&self, answers: Vec<Self::Answer>) -> Self::Answer;

    /// Returns the reason for a language whose server failed; `None` if it would have added nothing.
    async fn not_answered(
        &self,
        call: &Call,
        language: &'static Language,
        error: &IdeError,
    ) -> Option<Reason>;
}

/// The cases in which the syntax answers instead of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyntacticAnswer {
    /// Never: only a server has the answer.
    Never,
    /// No server exists, is ready in time, or works.
    WithoutServer,
    /// The same, or the server is loading and the syntax has all of the answer.
    WhileLoading,
}

/// The degree to which a result may lack what its server does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Openness {
    /// It lacks nothing.
    Closed,
    /// It may lack an entry. The operation itself has judged the code that only macros and build scripts
    /// make.
    Judged,
    /// It may lack an entry, also of code that only macros and build scripts make.
    Open,
}

impl Openness {
    pub(crate) fn open_if(is_open: bool) -> Self {
        if is_open { Self::Open } else { Self::Closed }
    }
}
