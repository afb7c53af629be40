//! One line of the record.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The user was asked.
    Requested,
    /// He said yes.
    Granted,
    /// He said no, or nobody could be asked.
    Denied,
    /// A function that needs it is about to run.
    Used,
    /// It was taken back.
    Revoked,
    /// A function failed with what its document does not declare; the capability is the function.
    Failed,
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The user, just now.
    User,
    /// How Dialect is set up.
    Policy,
    /// What the user had granted or denied before.
    Grant,
}

/// What is recorded of one happening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The ACP session; absent for what is done from the command line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// The folder of the session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub workspace: Option<String>,
    /// `files/Write`
    pub capability: String,
    /// What it is limited to.
    pub params: Value,
    /// What happened.
    pub action: Action,
    /// The functions that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    /// Whose declaration it was, when not ours.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document: Option<String>,
    /// The fingerprint of the declaration.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document_hash: Option<String>,
    /// `once`, `session` or `persistent`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<String>,
    /// Who decided.
    pub by: By,
    /// Of a use: what the function was given, secrets left out and long texts cut.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub arguments: Option<Value>,
    /// Why it was denied.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// A line that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Counts from 1, through all files.
    pub seq: u64,
    /// SHA-256 of the line before, of zeros for the first.
    pub prev: String,
    /// When, in seconds since 1970.
    pub ts: u64,
    /// How many bytes of a line that was not finished stood here before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub torn: Option<u64>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// The name of an entry that cannot be another: its number, and the hash of its line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// Counts from 1, through all files.
    pub seq: u64,
    /// SHA-256 of the line.
    pub hash: String,
}

/// An entry that was just written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) seal: Seal,
    /// When, in seconds since 1970.
    pub(crate) ts: u64,
}
