//! The error of all operations.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The error of every operation. It travels as a JSON-RPC error: `code`, `message`, and this as `data`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdeError {
    /// The kind of failure.
    pub kind: ErrorCode,
    /// The problem, in a sentence that names the place.
    pub message: String,
    /// Advice on what to do about it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
    /// True if the same request may succeed later although nothing is changed.
    #[serde(default)]
    pub retryable: bool,
}

/// The kinds of [`IdeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    /// The request itself is wrong: a pattern that does not parse, a line beyond the end of the file.
    InvalidRequest,
    /// There is no such file, folder or session.
    NotFound,
    /// The path lies outside the folders that may be read.
    OutsideWorkspace,
    /// No source for this operation: the language has no server, or it is not installed.
    Unavailable,
    /// The source is not ready within the deadline.
    NotReady,
    /// The source failed: it crashed, refused, or its reply is invalid.
    ServerFailed,
}

impl ErrorCode {
    /// Returns the JSON-RPC error code, in the range that the JSON-RPC 2.0 specification leaves to implementations.
    pub fn code(self) -> i32 {
        match self {
            Self::InvalidRequest => -32602,
            Self::NotFound => -32040,
            Self::OutsideWorkspace => -32041,
            Self::Unavailable => -32042,
            Self::NotReady => -32043,
            Self::ServerFailed => -32044,
        }
    }
}

impl IdeError {
    /// Creates an error without advice. It is retryable if the kind is [`ErrorCode::NotReady`].
    pub fn new(kind: ErrorCode, message: impl Into<String>) -> Self {
        let retryable = matches!(kind, ErrorCode::NotReady);
        Self { kind, message: message.into(), recovery: None, retryable }
    }

    /// Adds advice on what to do.
    #[must_use]
    pub fn recovery(mut self, advice: impl Into<String>) -> Self {
        self.recovery = Some(advice.into());
        self
    }

    /// Reads the error of a JSON-RPC response. Without our `data` it becomes [`ErrorCode::ServerFailed`] with the
    /// response's message.
    pub fn from_rpc(message: &str, data: Option<&serde_json::Value>) -> Self {
        data.and_then(|data| serde_json::from_value(data.clone()).ok())
            .unwrap_or_else(|| Self::new(ErrorCode::ServerFailed, message))
    }
}

impl fmt::Display for IdeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for IdeError {}
