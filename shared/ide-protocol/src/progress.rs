//! Progress of a request that takes a while: a server that is indexing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The notification, sent downstream by whoever answers.
pub const PROGRESS_METHOD: &str = "_ide_operations/progress";

/// How far a request has come. Sent any number of times before its response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The ACP session of the request.
    pub session_id: String,
    /// The token that the request carried.
    pub progress_token: String,
    /// What is being waited for: `rust-analyzer: indexing 12/48`.
    pub message: String,
    /// Percent done, 0 to 100, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage: Option<u32>,
}
