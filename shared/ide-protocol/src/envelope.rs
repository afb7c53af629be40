//! The fields that all requests share. On the wire they are flattened into the message, ahead of its own fields.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The operation's own fields of a request, without its [`Envelope`]. The name of the type ends in `Question`.
pub trait Question: Serialize + DeserializeOwned + JsonSchema + 'static {
    /// The result of a request with this question.
    type Result: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// The params of an operation's ACP extension request. The schema names it after its question:
/// `RenameQuestion` makes a `RenameRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "Q: Question")]
pub struct Request<Q> {
    /// The fields of every request.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The fields of this operation.
    #[serde(flatten)]
    pub question: Q,
}

impl<Q> Request<Q> {
    /// Creates a request without progress and time limits.
    pub fn new(session_id: impl Into<String>, question: Q) -> Self {
        Self { envelope: Envelope::new(session_id), question }
    }
}

impl<Q: Question> JsonSchema for Request<Q> {
    fn schema_name() -> Cow<'static, str> {
        Q::schema_name().replace("Question", "Request").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (mut schema, own) = (Envelope::json_schema(generator), Q::json_schema(generator));
        let fields = schema.ensure_object();
        for (key, value) in own.to_value().as_object().into_iter().flatten() {
            match (fields.get_mut(key), value) {
                (Some(serde_json::Value::Object(all)), serde_json::Value::Object(more)) => {
                    all.extend(more.clone());
                }
                (Some(serde_json::Value::Array(all)), serde_json::Value::Array(more)) => {
                    all.extend(more.iter().cloned());
                }
                (Some(slot), own) => *slot = own.clone(),
                (None, own) => {
                    fields.insert(key.clone(), own.clone());
                }
            }
        }
        schema
    }
}

/// The fields of every request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// The ACP session on whose behalf this is asked.
    pub session_id: String,
    /// The token of the progress notifications for this request, if they are wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<String>,
    /// Milliseconds from the arrival of the request until its result is of no use. A partial result by then is better
    /// than none. Changes that have begun to be written are finished all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Milliseconds to wait for a source that is still loading before a fallback answers; 0 does not wait. Defaults to
    /// the deadline. A source that is ready may always take until the deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

impl Envelope {
    /// Creates an envelope without progress and time limits.
    pub fn new(session_id: impl Into<String>) -> Self {
        Self { session_id: session_id.into(), ..Self::default() }
    }
}
