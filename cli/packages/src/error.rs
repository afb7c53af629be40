//! The error of work with packages.

use std::fmt;

use ailang::Code;

/// An error with a code that `ailang explain` explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageError {
    /// The code of the error, as in diagnostics of documents: `ailang explain CODE` tells about it.
    pub code: Code,
    /// The problem, in a sentence without a capital.
    pub message: String,
    /// A remedy, in a sentence to the user; `None` if none is known.
    pub help: Option<String>,
}

impl PackageError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds what the error is about in front of the message.
    pub(crate) fn about(mut self, what: &str) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "\n  help: {help}"))
    }
}

impl std::error::Error for PackageError {}
