//! The messages between the background process and its clients: JSON with its length before it. Both run the same
//! executable, so that there is one version of them.

use std::io;
use std::path::PathBuf;

use futures::{SinkExt, StreamExt};
use ide_protocol::{IdeError, Operation};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio_util::bytes::Bytes;
use tokio_util::codec::{FramedRead, FramedWrite, LengthDelimitedCodec};

use super::status::Status;
use crate::fallback::servers::find::config::Config;
use crate::fallback::session::memory::SessionMemory;
use crate::fallback::trust::store::Consent;

/// The largest message: texts of files and answers about them.
const LARGEST: usize = 256 * 1024 * 1024;

/// A message to the background process.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToServer {
    /// The first message. `key` is the content of the file that only the user can read.
    Hello { key: String, request: Hello },
    /// Opens a session, or gives it other folders. `asks` is true if its user can be asked for trust.
    Open { session: String, roots: Vec<PathBuf>, asks: bool, memory: SessionMemory },
    /// Closes a session.
    Close { session: String },
    /// The session's user can be asked for trust from now on.
    Asks { session: String },
    /// The user's answer about folders, for this process.
    Decided { folders: Vec<PathBuf>, consent: Consent },
    /// The unsaved texts of files that changed since the last message; `None` where the disk counts.
    Texts { texts: Vec<(PathBuf, Option<String>)> },
    /// Files on disk may have changed.
    Touched,
    /// A request for an operation.
    Ask { id: u64, operation: OperationName, params: Value },
    /// The request's caller has gone.
    Cancel { id: u64 },
    /// The user's answer to [`ToClient::AskTrust`].
    Consent { id: u64, consent: Consent },
    /// Asks for [`ToClient::Pong`].
    Ping,
}

/// The reason for a connection.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Hello {
    /// A client that will ask.
    Client { config: Box<Config> },
    /// Somebody who wants to see what runs.
    Status,
    /// The user, who wants the process to end.
    Stop,
}

/// A message to a client.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToClient {
    /// The client is admitted.
    Welcome,
    /// The answer to a request. `memory` is what later questions of its session need.
    Answer {
        id: u64,
        answer: Result<Value, IdeError>,
        memory: Option<(String, SessionMemory)>,
        lookups: (u64, u64),
    },
    /// The progress of a request.
    Progress { id: u64, message: String, percentage: Option<u32> },
    /// Asks a session's user for trust in folders; `denial` is the access that was denied.
    AskTrust { id: u64, session: String, folders: Vec<PathBuf>, denial: Option<String> },
    /// The state of the process.
    Status { status: Box<Status> },
    /// The answer to [`ToServer::Ping`].
    Pong,
}

/// An operation as its name.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub(crate) struct OperationName(pub(crate) Operation);

impl From<OperationName> for &'static str {
    fn from(it: OperationName) -> Self {
        it.0.name()
    }
}

impl TryFrom<String> for OperationName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let found = Operation::ALL.into_iter().find(|it| it.name() == name);
        found.map(Self).ok_or_else(|| format!("no operation `{name}`"))
    }
}

/// The receiving half of a connection.
#[derive(Debug)]
pub(crate) struct Receiver(FramedRead<OwnedReadHalf, LengthDelimitedCodec>);

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Sender(FramedWrite<OwnedWriteHalf, LengthDelimitedCodec>);

/// Splits a connection to another process of the user into its halves. Returns its id too, where the operating system
/// tells it.
///
/// # Errors
/// The other process is another user's.
pub(crate) fn split(stream: UnixStream) -> io::Result<(Receiver, Sender, Option<i32>)> {
    let peer = stream.peer_cred()?;
    if peer.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("the other end of the socket is another user's"));
    }
    let codec = || LengthDelimitedCodec::builder().max_frame_length(LARGEST).new_codec();
    let (read, write) = stream.into_split();
    Ok((Receiver(FramedRead::new(read, codec())), Sender(FramedWrite::new(write, codec())), peer.pid()))
}

impl Receiver {
    /// Waits for the next message; `None` at the end of the connection.
    ///
    /// # Errors
    /// The connection breaks, or the other side sends something else.
    pub(crate) async fn receive<M: DeserializeOwned>(&mut self) -> io::Result<Option<M>> {
        match self.0.next().await {
            Some(frame) => Ok(Some(serde_json::from_slice(&frame?)?)),
            None => Ok(None),
        }
    }

    /// Limits the length of messages, until the next call.
    pub(crate) fn limit(&mut self, bytes: Option<usize>) {
        self.0.decoder_mut().set_max_frame_length(bytes.unwrap_or(LARGEST));
    }
}

impl Sender {
    /// Sends a message.
    ///
    /// # Errors
    /// The connection breaks, or the message holds a path that is no text.
    pub(crate) async fn send<M: Serialize>(&mut self, message: &M) -> io::Result<()> {
        self.0.send(Bytes::from(serde_json::to_vec(message)?)).await
    }
}
