//! Progress of requests that take a while, such as those to a server that is indexing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The method of the progress notification, sent downstream by the side that answers.
pub const PROGRESS_METHOD: &str = "_ide_operations/progress";

/// One step of a request's progress, sent any number of times before the response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The ACP session of the request.
    pub session_id: String,
    /// The token that the request carried.
    pub progress_token: String,
    /// The activity that the request waits for: `rust-analyzer: indexing 12/48`.
    pub message: String,
    /// Percent done, 0 to 100, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage: Option<u32>,
}
