//! The one error of this wire.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a question was not answered. Travels as a JSON-RPC error: `code`, `message`, and this as `data`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdeError {
    /// What kind of failure it is.
    pub kind: ErrorCode,
    /// What is wrong, in a sentence that names the place.
    pub message: String,
    /// What to do about it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
    /// Whether the same question may succeed later without anything being changed.
    #[serde(default)]
    pub retryable: bool,
}

/// The kinds of [`IdeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    /// The request itself is wrong: a pattern that does not parse, a line beyond the file's end.
    InvalidRequest,
    /// No such file, folder or session.
    NotFound,
    /// The path lies outside what may be read.
    OutsideWorkspace,
    /// Nobody can answer this operation here: no server for the language, none installed.
    Unavailable,
    /// Somebody can, but is not ready within the deadline.
    NotReady,
    /// Whoever was asked failed: it crashed, it answered nonsense, it refused.
    ServerFailed,
}

impl ErrorCode {
    /// The JSON-RPC code, in the range that the specification leaves to implementations.
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
    /// An error without advice, not worth retrying.
    pub fn new(kind: ErrorCode, message: impl Into<String>) -> Self {
        let retryable = matches!(kind, ErrorCode::NotReady);
        Self { kind, message: message.into(), recovery: None, retryable }
    }

    /// The same with advice on what to do.
    #[must_use]
    pub fn recovery(mut self, advice: impl Into<String>) -> Self {
        self.recovery = Some(advice.into());
        self
    }

    /// Reads the error of a JSON-RPC response. An editor's error without our `data` is
    /// [`ErrorCode::ServerFailed`] with its own message.
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
