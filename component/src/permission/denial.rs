//! The reasons why a program may not run, as messages for the model.

use std::collections::BTreeSet;

use dialect::{Failure, Need};

use super::question::Missing;

/// The name of the failure.
const NAME: &str = "CapabilityDenied";

/// A reason why something is not permitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Denial {
    /// The user refused.
    Refused,
    /// The user refused before, in this turn.
    RefusedBefore,
    /// The user refused for this session.
    RefusedForSession,
    /// The user closed the question without an answer, or stopped the turn.
    Unanswered,
    /// The user has not answered yet.
    Open,
    /// The editor cannot ask the user.
    NobodyAsks { why: String },
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
}

impl Denied {
    /// Returns the failure of a program, at the first call that needs a missing permission.
    pub(super) fn failure(&self, needs: &[Need]) -> Failure {
        let callables: BTreeSet<&String> = self.missing.iter().flat_map(|it| &it.callables).collect();
        let names: Vec<_> = self.missing.iter().map(Missing::name).collect();
        let who: Vec<_> = callables.iter().map(|it| format!("`{it}`")).collect();
        let verb = if who.len() == 1 { "needs" } else { "need" };
        let what = format!("{}, which {} {verb}", names.join(" and "), who.join(" and "));
        let (message, recovery) = self.why.words(&what);
        let failure = Failure::raised(NAME, message).recovery(recovery);
        let mut failure = if self.why == Denial::Open { failure.retryable() } else { failure };
        failure.span = needs.iter().find(|it| callables.contains(&it.callable)).map(|it| it.span);
        failure
    }
}

impl Denied {
    /// Returns the failure of a function that runs without having been seen in its program.
    pub(super) fn unforeseen(callable: &str, names: &str) -> Failure {
        let message = format!("`{callable}` needs {names}, and the user was not asked for that");
        Failure::raised(NAME, message)
            .recovery("Call it by its name in the program, so that the user can be asked.")
    }
}

impl Denial {
    pub(super) fn about(self, missing: &[Missing]) -> Denied {
        Denied { why: self, missing: missing.to_vec() }
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
                format!("the user has refused {what}, for this session"),
                "It is not asked again in this session. Go on without it.",
            ),
            Self::Unanswered => (
                format!("the user did not decide about {what}"),
                "Nothing of this program has run. Sent again, it asks again; do so only if the user wants it.",
            ),
            Self::Open => (
                format!("the user has not decided yet about {what}"),
                "The question stays open in the editor, and nothing of this program has run. Send the same program \
                 again to go on waiting, or ask the user to answer.",
            ),
            Self::NobodyAsks { why } => (
                format!("the editor cannot ask the user for {what}: {why}"),
                "What needs a permission cannot run here. Go on with what only reads, or use your other tools.",
            ),
            Self::NoScope => (
                format!("nobody can grant {what}: its declaration allows no scope that is possible here"),
                "Go on without it.",
            ),
            Self::ReadOnly => (
                format!("this is a read-only Dialect, which never grants {what}"),
                "Go on with what only reads. Only the user can start it without `--read-only`.",
            ),
            Self::Broken { why } => (
                format!("nothing can grant {what}: {why}"),
                "Tell the user; nothing that needs a permission runs until this is repaired.",
            ),
            Self::Revoked => (
                format!("{what}, is not granted, or was revoked"),
                "What ran before this call has happened. Sent again, the program asks the user.",
            ),
        };
        (message, recovery.to_owned())
    }
}
