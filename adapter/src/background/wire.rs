//! The messages between the background process and its clients: JSON with its length before it. Both run the same
//! executable, so that there is one version of them.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use futures::{SinkExt, StreamExt};
use ide_protocol::{IdeError, Operation};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;
use tokio_util::bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::{Encoder, FramedRead, FramedWrite, LengthDelimitedCodec};

use super::status::Status;
use crate::fallback::servers::find::config::Config;
use crate::fallback::session::memory::SessionMemory;
use crate::fallback::trust::store::Consent;
use unpoisoned::lock;

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

/// The sending half of an admitted connection, for many tasks. A message is written at once as far as the socket takes
/// it, which wakes no other task; [`Outbox::flush`] writes the rest.
#[derive(Debug)]
pub(crate) struct Outbox {
    state: Mutex<OutboxState>,
    /// Tells [`Outbox::flush`] that there is a rest, or that the connection was closed.
    changed: Notify,
}

#[derive(Debug)]
struct OutboxState {
    /// `None` after the end.
    half: Option<Arc<OwnedWriteHalf>>,
    /// The bytes that the socket has not taken.
    rest: BytesMut,
}

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
    let (read, write) = stream.into_split();
    Ok((Receiver(FramedRead::new(read, codec())), Sender(FramedWrite::new(write, codec())), peer.pid()))
}

fn codec() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder().max_frame_length(LARGEST).new_codec()
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
        self.0.send(encoded(message)?).await
    }
}

fn encoded<M: Serialize>(message: &M) -> io::Result<Bytes> {
    Ok(Bytes::from(serde_json::to_vec(message)?))
}

impl Outbox {
    /// Takes over a sending half.
    pub(crate) fn new(sender: Sender) -> Self {
        let half = Some(Arc::new(sender.0.into_inner()));
        Self { state: Mutex::new(OutboxState { half, rest: BytesMut::new() }), changed: Notify::new() }
    }

    /// Sends a message, behind those that were sent before. Closes the connection where that cannot be; whoever waits for
    /// an answer notices that.
    pub(crate) fn send<M: Serialize>(&self, message: &M) {
        let sent = encoded(message).and_then(|it| lock(&self.state).send(it));
        match sent {
            Ok(true) => {}
            Ok(false) => self.changed.notify_one(),
            Err(error) => {
                tracing::debug!(%error, "a message cannot be sent");
                self.close();
            }
        }
    }

    /// Writes what the socket does not take at once, until the connection breaks or is closed.
    ///
    /// # Errors
    /// The connection breaks.
    pub(crate) async fn flush(&self) -> io::Result<()> {
        loop {
            let full = {
                let state = lock(&self.state);
                let Some(half) = &state.half else { return Ok(()) };
                (!state.rest.is_empty()).then(|| Arc::clone(half))
            };
            match full {
                Some(half) => {
                    half.writable().await?;
                    lock(&self.state).write()?;
                }
                None => self.changed.notified().await,
            }
        }
    }

    /// Closes the connection for sending. Messages that are not written are dropped.
    pub(crate) fn close(&self) {
        lock(&self.state).half = None;
        self.changed.notify_one();
    }
}

impl OutboxState {
    /// Sends a message. Returns false if a rest of it has to wait.
    fn send(&mut self, message: Bytes) -> io::Result<bool> {
        let is_free = self.rest.is_empty();
        codec().encode(message, &mut self.rest)?;
        if is_free {
            self.write()?;
        }
        Ok(self.rest.is_empty())
    }

    /// Writes as much of the rest as the socket takes.
    fn write(&mut self) -> io::Result<()> {
        let Some(half) = &self.half else {
            self.rest.clear();
            return Ok(());
        };
        while !self.rest.is_empty() {
            match half.try_write(&self.rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => self.rest.advance(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halves() -> (Outbox, Receiver) {
        let (here, there) = UnixStream::pair().expect("a pair of sockets");
        let (_, sender, _) = split(here).expect("the same user");
        let (receiver, ..) = split(there).expect("the same user");
        (Outbox::new(sender), receiver)
    }

    #[tokio::test]
    async fn messages_keep_their_order_where_the_socket_is_full() {
        let (outbox, mut receiver) = halves();
        let outbox = Arc::new(outbox);
        // More than a socket takes, and a small one behind it.
        let sessions: Vec<_> = (0..20).map(|it| format!("{it} {}", "x".repeat(200_000 * (it % 2)))).collect();
        for session in &sessions {
            outbox.send(&ToServer::Close { session: session.clone() });
        }
        assert!(!lock(&outbox.state).rest.is_empty(), "the socket took everything");
        let flushing = tokio::spawn({
            let outbox = Arc::clone(&outbox);
            async move { outbox.flush().await }
        });
        for expected in &sessions {
            let message = receiver.receive().await.expect("a message");
            let Some(ToServer::Close { session }) = message else { panic!("another message: {message:?}") };
            assert_eq!(&session, expected);
        }
        outbox.close();
        flushing.await.expect("it has not panicked").expect("the connection is whole");
        assert!(receiver.receive::<ToServer>().await.expect("the end").is_none());
    }

    #[tokio::test]
    async fn what_is_sent_to_nobody_closes_the_connection() {
        let (outbox, receiver) = halves();
        drop(receiver);
        while lock(&outbox.state).half.is_some() {
            outbox.send(&ToServer::Ping);
            tokio::task::yield_now().await;
        }
        outbox.flush().await.expect("it was closed");
        outbox.send(&ToServer::Ping);
    }
}
