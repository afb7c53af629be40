//! The world around a runtime, passed in: its clock, its user, its permissions, and the code of tools.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use dialect::{Failure, FailureKind, Handler, Object, Requirement};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::capability::Capability;

/// The clock and the user.
pub trait Host: Debug + Send + Sync {
    /// Returns the time, in seconds since the Unix epoch.
    fn now(&self) -> f64;

    /// Waits.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Shows a question to the user, and returns the chosen option; `None` if the question was dismissed. The error is
    /// the reason why nobody can be asked, with a remedy. The time until the answer does not count against the program.
    fn ask(&self, question: &str, options: &[String]) -> BoxFuture<'static, Result<Option<String>, String>> {
        let _ = (question, options);
        futures::future::ready(Err("nobody answers questions here".to_owned())).boxed()
    }
}

/// A host whose clock stands still, so that runs are reproducible: waiting takes no time, and nobody answers
/// questions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Still {
    /// The time, in seconds since the Unix epoch.
    pub now: f64,
}

impl Host for Still {
    fn now(&self) -> f64 {
        self.now
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        futures::future::ready(()).boxed()
    }
}

/// Code for tools that have no body.
pub trait Provider: Send + Sync {
    /// Returns the code of a tool; `None` if this provider has none.
    fn implementation(&self, tool: &str) -> Option<Arc<dyn Handler>>;

    /// Runs a whole program of Dialect, and returns its value as text, or the reason why it has none; `None` if the
    /// runtime runs it over the tools of the document.
    fn run(&self, program: &str) -> Option<BoxFuture<'static, Result<String, String>>> {
        let _ = program;
        None
    }
}

/// The decision about permissions.
pub trait Gate: Send + Sync {
    /// Decides whether the call may run. The time until the decision does not count against the program.
    fn permits(&self, request: PermissionRequest) -> BoxFuture<'static, Result<(), Refusal>>;
}

/// The permissions that a call needs.
#[derive(Clone, Debug, PartialEq)]
pub struct PermissionRequest {
    /// The tool.
    pub tool: String,
    /// All permissions that it needs; at least one.
    pub requires: Vec<Requirement>,
    /// The arguments of the call by name.
    pub arguments: Object,
    /// The capabilities that the documents declare, those that are not needed too.
    pub declared: Arc<[Capability]>,
}

/// The refusal of a permission.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, for the message of the error; empty if nobody granted it.
    pub reason: String,
    /// The remedy; empty for the general one.
    pub recovery: String,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        match *failure.kind {
            FailureKind::Raised { message, advice, .. } => {
                Self { reason: message, recovery: advice.recovery.unwrap_or_default() }
            }
            _ => Self { reason: dialect::diagnostic(&failure).message, recovery: String::new() },
        }
    }
}
