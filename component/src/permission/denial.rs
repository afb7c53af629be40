//! The reasons why a program may not run, as messages for the model.

use std::collections::BTreeSet;

use dialect::{Failure, Need};

use super::denied_name::DENIED;
use super::question::Missing;

/// A reason why something is not permitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Denial {
    /// The user refused.
    Refused,
    /// The user refused before, in this turn.
    RefusedBefore,
    /// The user refused for this session.
    RefusedForSession,
    /// The question was closed without an answer, or the user stopped the turn.
    Unanswered,
    /// The user has not answered yet.
    Open,
    /// The editor did not ask the user: it cannot, or it will not.
    NobodyAsks { why: String },
    /// The MCP client that made the call cannot ask its user.
    CannotAsk,
    /// The declaration allows no scope that can be granted here.
    NoScope,
    /// Dialect is read-only.
    ReadOnly,
    /// Permissions cannot be read or recorded.
    Broken { why: String },
    /// The permission was revoked, or never granted.
    Revoked,
}

/// A denial, with the permissions that it is about.
#[derive(Clone, Debug)]
pub(crate) struct Denied {
    pub(super) why: Denial,
    /// The permissions that are missing; at least one.
    pub(super) missing: Vec<Missing>,
    /// True if an MCP client was to ask its user. One that runs without a user refuses by itself.
    pub(super) by_client: bool,
}

/// The remedy for clients that refuse by themselves.
const WITHOUT_USER: &str = " If nobody was asked, since this agent runs without its user, only the user can permit it: by \
                            starting the server as `dialect mcp --allow-write`.";

impl Denied {
    /// Returns the failure of a program, at the first call that needs a missing permission.
    pub(super) fn failure(&self, needs: &[Need]) -> Failure {
        let callables: BTreeSet<&String> = self.missing.iter().flat_map(|it| &it.callables).collect();
        let what: Vec<_> = self.missing.iter().map(Missing::phrase).collect();
        let (message, recovery) = self.why.words(&what.join(" and "));
        let failure = Failure::raised(DENIED, message).recovery(self.with_remedy(recovery));
        let mut failure = if self.why == Denial::Open { failure.retryable() } else { failure };
        failure.span = needs.iter().find(|it| callables.contains(&it.callable)).map(|it| it.span);
        failure
    }

    /// Returns the failure of one call in a program that runs already.
    pub(super) fn failure_within(&self) -> Failure {
        let failure = self.failure(&[]);
        match self.why {
            Denial::Refused | Denial::Unanswered | Denial::Open | Denial::NobodyAsks { .. } => {
                let recovery = "What ran before this call has happened. Go on without it, or tell the user what it is for.";
                failure.recovery(self.with_remedy(recovery.to_owned()))
            }
            _ => failure,
        }
    }

    /// Adds what helps where a client refuses by itself.
    fn with_remedy(&self, recovery: String) -> String {
        match self.why {
            Denial::Refused | Denial::RefusedBefore | Denial::Unanswered if self.by_client => {
                recovery + WITHOUT_USER
            }
            _ => recovery,
        }
    }
}

impl Denied {
    /// Returns the failure of a function that runs without having been seen in its program.
    pub(super) fn unforeseen(callable: &str) -> Failure {
        let message = format!("`{callable}` needs a permission that the user was not asked for");
        Failure::raised(DENIED, message)
            .recovery("Call it by its name in the program, so that the user can be asked.")
    }
}

impl Denial {
    pub(super) fn about(self, missing: &[Missing]) -> Denied {
        Denied { why: self, missing: missing.to_vec(), by_client: false }
    }

    fn words(&self, what: &str) -> (String, String) {
        let (message, recovery) = match self {
            Self::Refused => (
                format!("the user refused {what}"),
                "Nothing of this program has run. Go on without it, or tell the user what it is for; it is not asked \
                 again in this turn.",
            ),
            Self::RefusedBefore => (
                format!("the user has already refused {what}"),
                "It is not asked again in this turn. Go on without it, or tell the user what it is for.",
            ),
            Self::RefusedForSession => (
                format!("the user has refused, for this session, {what}"),
                "It is not asked again in this session. Go on without it.",
            ),
            Self::Unanswered => (
                format!("nobody decided about {what}"),
                "The question was closed without an answer of the user, and nothing of this program has run. Ask the \
                 user before you send it again.",
            ),
            Self::Open => (
                format!("the user has not decided yet about {what}"),
                "The question stays open in the editor, and nothing of this program has run. Send the same program \
                 again to go on waiting, or ask the user to answer.",
            ),
            Self::NobodyAsks { why } => (
                format!("the editor did not ask the user ({why}), so that nobody permitted {what}"),
                "This is no refusal by the user, and nothing of this program has run. Tell the user, and go on with \
                 what only reads or with your other tools.",
            ),
            Self::CannotAsk => (
                format!(
                    "this client cannot ask its user (it has no elicitation), so that nobody permitted {what}"
                ),
                "Nothing of this program has run. Only the user can permit it: by starting the server as `dialect mcp \
                 --allow-write`, or with a client that has elicitation.",
            ),
            Self::NoScope => (
                format!(
                    "nobody can grant this, since its declaration allows no scope that is possible here: {what}"
                ),
                "Go on without it.",
            ),
            Self::ReadOnly => (
                format!("this is a read-only Dialect, which never grants {what}"),
                "Go on with what only reads. Only the user can start it without `--read-only`.",
            ),
            Self::Broken { why } => (
                format!("nothing can be granted ({why}), so that this cannot run: {what}"),
                "Tell the user; nothing that needs a permission runs until this is repaired.",
            ),
            Self::Revoked => (
                format!("this is not granted, or was revoked: {what}"),
                "What ran before this call has happened. Sent again, the program asks the user.",
            ),
        };
        (message, recovery.to_owned())
    }
}
