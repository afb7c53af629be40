//! JSON-RPC messages: read leniently, written strictly.
//!
//! The member `method` alone tells a request from a response: the ids of both sides count from 1 and collide.
//! Payloads stay text, so that one that cannot be read costs its call and not the message.

use std::fmt::{self, Display};

use json_text::Envelope;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::frames::Skipped;
use crate::text;

/// The JSON text of params, of a result or of an id.
pub type Payload = Box<RawValue>;

/// The code of every error that this side makes.
pub const APPLICATION_ERROR: i64 = -32000;

/// The content of a frame: one message, or several in an array.
#[derive(Debug)]
pub enum Content {
    /// A frame that is no array.
    Single(Message),
    /// The messages of an array, which may be empty.
    Batch(Vec<Message>),
}

/// A message of the peer.
#[derive(Debug)]
pub enum Message {
    /// A call that wants an answer.
    Request {
        /// The id, which the answer repeats as it is.
        id: Payload,
        /// The name of the method.
        method: String,
        /// The params, if there are any.
        params: Option<Payload>,
    },
    /// A call without an id, which gets no answer.
    Notification {
        /// The name of the method.
        method: String,
        /// The params, if there are any.
        params: Option<Payload>,
    },
    /// An answer.
    Response {
        /// The id of the call.
        id: Option<Payload>,
        /// The result, or nothing for null; or the error.
        outcome: Result<Option<Payload>, ErrorObject>,
    },
    /// JSON that is no message.
    Broken(Broken),
}

/// A part of the stream that is no message.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The reason why it is no message, as a part of a sentence.
    pub reason: String,
    /// The start of its text, on one line.
    pub excerpt: String,
    /// The id in it, if one was found.
    pub id: Option<Payload>,
    /// True if it has a method: then the peer waits for an answer to the id, and else it answers ours.
    pub is_request: bool,
}

/// The error of a response.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorObject {
    /// The code. No meaning is relied on.
    pub code: i64,
    /// The text for people.
    pub message: String,
    /// More about it, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Payload>,
}

impl ErrorObject {
    /// Creates an error of this side.
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: APPLICATION_ERROR, message: message.into(), data: None }
    }

    /// Reads the `error` member of a response, of any shape.
    fn read(raw: &RawValue) -> Self {
        #[derive(Deserialize)]
        struct Lenient<'a> {
            #[serde(borrow)]
            code: Option<&'a RawValue>,
            #[serde(borrow)]
            message: Option<&'a RawValue>,
            #[serde(borrow)]
            data: Option<&'a RawValue>,
        }
        let Ok(Lenient { code, message, data }) = serde_json::from_str::<Lenient<'_>>(raw.get()) else {
            return Self { code: 0, message: plain(raw), data: None };
        };
        let code = code.and_then(|it| serde_json::from_str(it.get()).ok()).unwrap_or(0);
        let message = message.map(plain).filter(|it| !it.is_empty());
        let message = message.unwrap_or_else(|| format!("plugin error {code}"));
        Self { code, message, data: data.map(ToOwned::to_owned) }
    }
}

impl Display for ErrorObject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Returns the text of a JSON string, and the JSON of anything else.
fn plain(raw: &RawValue) -> String {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
}

/// Reads the messages of a frame (JSON-RPC 2.0). What is no message becomes [`Message::Broken`].
pub fn read(frame: &str) -> Content {
    if !frame.trim_start().starts_with('[') {
        return Content::Single(read_one(frame));
    }
    match serde_json::from_str::<Vec<&RawValue>>(frame) {
        Ok(messages) => Content::Batch(messages.into_iter().map(|it| read_one(it.get())).collect()),
        Err(error) => Content::Single(Message::Broken(Broken::new(error.to_string(), frame))),
    }
}

#[derive(Deserialize)]
struct Lenient<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Tells null from a member that is not there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn read_one(text: &str) -> Message {
    // Serde reads an array as the members of a struct in order.
    if !text.trim_start().starts_with('{') {
        return Message::Broken(Broken::new("not a JSON object".to_owned(), text));
    }
    let Lenient { id, method, params, result, error } = match serde_json::from_str(text) {
        Ok(lenient) => lenient,
        Err(error) => return Message::Broken(Broken::new(error.to_string(), text)),
    };
    let owned = |raw: Option<&RawValue>| raw.map(ToOwned::to_owned);
    let Some(method) = method else {
        if id.is_none() && result.is_none() && error.is_none() {
            return Message::Broken(Broken::new("neither a method nor an id".to_owned(), text));
        }
        let outcome = error.map_or_else(|| Ok(owned(result)), |it| Err(ErrorObject::read(it)));
        return Message::Response { id: owned(id), outcome };
    };
    match (serde_json::from_str(method.get()), owned(id)) {
        (Ok(method), Some(id)) => Message::Request { id, method, params: owned(params) },
        (Ok(method), None) => Message::Notification { method, params: owned(params) },
        (Err(_), _) => Message::Broken(Broken::new("the method is not a string".to_owned(), text)),
    }
}

impl Broken {
    /// Looks for an id in a text that is no message, so that whoever waits for it hears of it.
    fn new(reason: String, text: &str) -> Self {
        // Only an object is a message; what is not one has no members that could be its id.
        let envelope = match text.trim_start().starts_with('{') {
            true => Envelope::scan(text.as_bytes()),
            false => Envelope::default(),
        };
        let id = envelope.id().and_then(|it| RawValue::from_string(it.to_owned()).ok());
        Self { reason, excerpt: text::excerpt(text), id, is_request: envelope.has_method() }
    }
}

impl From<&Skipped> for Broken {
    fn from(skipped: &Skipped) -> Self {
        Self::new(skipped.reason.clone(), &skipped.text())
    }
}

/// Returns the id of a response as one that this side gave: an integer, however it is spelled.
pub(crate) fn own_id(id: &RawValue) -> Option<u64> {
    let text = id.get();
    text.parse().ok().or_else(|| text.strip_suffix(".0")?.parse().ok())
}

/// Returns the number in an id that is a text: `"3"`.
pub(crate) fn id_in_text(id: &RawValue) -> Option<u64> {
    id.get().strip_prefix('"')?.strip_suffix('"')?.parse().ok()
}

#[derive(Serialize)]
struct Written<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorObject>,
}

impl Written<'_> {
    const NOTHING: Self =
        Self { jsonrpc: "2.0", id: None, method: None, params: None, result: None, error: None };

    /// Returns the JSON on one line, without a line break at its end. A payload may have line breaks, which
    /// then stand between tokens.
    fn line(&self) -> String {
        let json = serde_json::to_string(self).expect("raw JSON and strings are JSON");
        if json.contains('\n') || json.contains('\r') { json.replace(['\n', '\r'], " ") } else { json }
    }
}

/// Returns the line of a request.
pub fn request(id: u64, method: &str, params: Option<&RawValue>) -> String {
    let id = RawValue::from_string(id.to_string()).expect("an integer is JSON");
    Written { id: Some(&id), method: Some(method), params, ..Written::NOTHING }.line()
}

/// Returns the line of a notification.
pub fn notification(method: &str, params: Option<&RawValue>) -> String {
    Written { method: Some(method), params, ..Written::NOTHING }.line()
}

/// Returns the line of a response.
pub fn response(id: &RawValue, outcome: &Result<Payload, ErrorObject>) -> String {
    let (result, error) = match outcome {
        Ok(result) => (Some(&**result), None),
        Err(error) => (None, Some(error)),
    };
    Written { id: Some(id), result, error, ..Written::NOTHING }.line()
}

/// Returns a JSON text as a payload.
pub(crate) fn payload(json: String) -> Payload {
    RawValue::from_string(json).expect("written by a JSON writer")
}
