//! One line of the audit log.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::measured::Measured;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The user was asked.
    Requested,
    /// The user allowed it.
    Granted,
    /// The user denied it, or could not be asked.
    Denied,
    /// A function that needs it is about to run.
    Used,
    /// A permission was revoked.
    Revoked,
    /// A function failed with an error that its document does not declare. The field `capability` names the
    /// function.
    Failed,
    /// A program has run. The field `capability` is the tool, `arguments` has numbers, and `measured` more of them.
    Ran,
    /// A skill has another level of detail. The field `capability` is the skill, `arguments` has the level and its tokens,
    /// and `reason` says why.
    Loaded,
}

/// The one who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The user, in answer to a question.
    User,
    /// The settings of Dialect.
    Policy,
    /// An earlier decision of the user.
    Grant,
}

/// One event of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The ACP session; absent for commands of `dialect` itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// The folder of the session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub workspace: Option<String>,
    /// The id of the capability: `files/Write`.
    pub capability: String,
    /// The limits of the permission, as JSON.
    pub params: Value,
    /// The kind of the event.
    pub action: Action,
    /// The functions that need the capability, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    /// The origin of the declaration, when it is not ours.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document: Option<String>,
    /// The fingerprint of the declaration, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document_hash: Option<String>,
    /// `once`, `session` or `persistent`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<String>,
    /// The one who decided.
    pub by: By,
    /// The arguments of a used function, with secrets left out and long texts cut.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub arguments: Option<Value>,
    /// The reason of a denial, or the message of a failure.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The measurements of a program that has run; only in the log of calls.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub measured: Option<Measured>,
}

/// An event as a line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The number of the entry, from 1, across all files.
    pub seq: u64,
    /// The SHA-256 of the line before, in hexadecimal digits; zeros for the first.
    pub prev: String,
    /// The time in seconds since the start of 1970.
    pub ts: u64,
    /// The length in bytes of an unfinished line that stood here before and was dropped.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub torn: Option<u64>,
    /// The event that the line records; its fields stand beside the others.
    #[serde(flatten)]
    pub event: Event,
}

/// A reference to one entry that cannot fit another: its number, and the hash of its line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// The number of the entry, from 1, across all files.
    pub seq: u64,
    /// The SHA-256 of the line, in hexadecimal digits.
    pub hash: String,
}

/// An entry that was just written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) seal: Seal,
    /// The time in seconds since the start of 1970.
    pub(crate) ts: u64,
}
