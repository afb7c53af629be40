//! The world around a runtime, passed in: its clock, its user, its permissions, and the code of tools.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use dialect::{Handler, Requirement};
use futures::FutureExt;
use futures::future::BoxFuture;

/// The clock and the user.
pub trait Host: Debug + Send + Sync {
    /// Returns the time, in seconds since the Unix epoch.
    fn now(&self) -> f64;

    /// Waits.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Shows a question to the user, and returns the chosen option; `None` if the question was dismissed.
    fn ask(&self, question: &str, options: &[String]) -> BoxFuture<'static, Option<String>> {
        let _ = (question, options);
        futures::future::ready(None).boxed()
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
    /// Returns `true` if the call may run.
    fn permits(&self, request: PermissionRequest) -> BoxFuture<'static, bool>;
}

/// The permissions that a call needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionRequest {
    /// The tool.
    pub tool: String,
    /// All permissions that it needs; at least one.
    pub requires: Vec<Requirement>,
}
