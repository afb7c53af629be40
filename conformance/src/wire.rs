//! JSON-RPC 2.0 as lines of JSON: the players' own codec, which shares nothing with the code under test.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use std::sync::{Arc, Mutex};
use unpoisoned::lock;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};

use crate::record::Log;

/// The result of a request, or the error object of its response.
pub type Answer = Result<Value, Value>;

/// A message that the other side began.
#[derive(Clone, Debug)]
pub enum Incoming {
    Request {
        id: Value,
        method: String,
        params: Option<Value>,
    },
    Notification {
        method: String,
        params: Option<Value>,
    },
    /// A line that is no message: standard output was soiled.
    Junk(String),
}

/// One side of a connection. Clones speak for the same side.
#[derive(Clone)]
pub struct Peer(Arc<Side>);

type Waiting = Option<oneshot::Sender<Answer>>;

struct Side {
    /// Guards the order too: what is recorded first is written first.
    outgoing: Mutex<Option<mpsc::UnboundedSender<Vec<u8>>>>,
    /// The methods of requests without an answer, and who waits for it: nobody, once it was cancelled.
    waiting: Mutex<HashMap<u64, (String, Waiting)>>,
    asked: Mutex<HashMap<String, String>>,
    next_id: AtomicU64,
    log: Log,
}

/// Opens a connection. The channel ends when the other side's bytes do.
pub fn open(
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    log: Log,
) -> (Peer, mpsc::UnboundedReceiver<Incoming>) {
    let (outgoing, lines) = mpsc::unbounded_channel();
    let (incoming, heard) = mpsc::unbounded_channel();
    let peer = Peer(Arc::new(Side {
        outgoing: Mutex::new(Some(outgoing)),
        waiting: Mutex::default(),
        asked: Mutex::default(),
        next_id: AtomicU64::new(1),
        log,
    }));
    tokio::spawn(write_lines(write, lines));
    tokio::spawn(read_lines(read, peer.clone(), incoming));
    (peer, heard)
}

async fn write_lines(mut write: impl AsyncWrite + Unpin, mut lines: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        let written = async {
            write.write_all(&line).await?;
            write.flush().await
        };
        if written.await.is_err() {
            return; // the reader notices
        }
    }
    let _ = write.shutdown().await;
}

async fn read_lines(read: impl AsyncRead + Unpin, peer: Peer, incoming: mpsc::UnboundedSender<Incoming>) {
    let mut lines = BufReader::new(read).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if let Some(heard) = peer.0.hear(&line)
            && incoming.send(heard).is_err()
        {
            break;
        }
    }
    peer.0.end();
}

impl Side {
    fn hear(&self, line: &[u8]) -> Option<Incoming> {
        let Some(mut message) = message_of(line) else {
            let junk = String::from_utf8_lossy(line).into_owned();
            self.log.heard(json!({"junk": junk}), None);
            return Some(Incoming::Junk(junk));
        };
        let params = message.remove("params");
        let id = message.remove("id");
        match (message.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => {
                lock(&self.asked).insert(id.to_string(), method.clone());
                self.log.heard(request(Some(id.clone()), &method, params.clone()), None);
                Some(Incoming::Request { id, method, params })
            }
            (Some(Value::String(method)), None) => {
                self.log.heard(request(None, &method, params.clone()), None);
                Some(Incoming::Notification { method, params })
            }
            (_, id) => {
                self.answered(&id.unwrap_or(Value::Null), message);
                None
            }
        }
    }

    fn answered(&self, id: &Value, mut response: Map<String, Value>) {
        let waiting = id.as_u64().and_then(|id| lock(&self.waiting).remove(&id));
        let answer = match response.remove("error") {
            Some(error) => Err(error),
            None => Ok(response.remove("result").unwrap_or(Value::Null)),
        };
        let method = waiting.as_ref().map(|(method, _)| method.as_str());
        self.log.heard(response_message(id, &answer), Some(method.unwrap_or("(nothing asked)")));
        if let Some((_, Some(waiting))) = waiting {
            let _ = waiting.send(answer); // whoever asked may have left
        }
    }

    fn send(&self, message: Value, of: Option<&str>) {
        // What a player takes for a long text is measured with the code under test.
        let mut line = serde_json::to_vec(&message).expect("values are plain JSON");
        line.push(b'\n');
        let outgoing = lock(&self.outgoing);
        if let Some(outgoing) = &*outgoing {
            self.log.sent(message, of);
            let _ = outgoing.send(line); // a closed connection is the reader's to notice
        }
    }

    fn end(&self) {
        lock(&self.waiting).clear(); // whoever still waits learns that nothing will come
    }
}

/// A line that can be a message: an object that says `"jsonrpc": "2.0"`.
fn message_of(line: &[u8]) -> Option<Map<String, Value>> {
    let Ok(Value::Object(message)) = serde_json::from_slice(line) else { return None };
    (message.get("jsonrpc")? == "2.0").then_some(message)
}

fn request(id: Option<Value>, method: &str, params: Option<Value>) -> Value {
    let mut message = json!({"jsonrpc": "2.0"});
    if let Some(id) = id {
        message["id"] = id;
    }
    message["method"] = json!(method);
    if let Some(params) = params {
        message["params"] = params;
    }
    message
}

fn response_message(id: &Value, answer: &Answer) -> Value {
    let (name, content) = match answer {
        Ok(result) => ("result", result),
        Err(error) => ("error", error),
    };
    let mut message = json!({"jsonrpc": "2.0", "id": id});
    message[name] = content.clone(); // the macro would serialize it
    message
}

impl Peer {
    /// Sends a request. Dropping the call before its answer cancels it, as ACP does it.
    pub fn request(&self, method: &str, params: Value) -> Call {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        lock(&self.0.waiting).insert(id, (method.to_owned(), Some(answer)));
        self.0.send(request(Some(json!(id)), method, Some(params)), None);
        Call { peer: self.clone(), id, answered: Some(answered) }
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.0.send(request(None, method, Some(params)), None);
    }

    pub fn respond(&self, id: &Value, answer: &Answer) {
        let of = lock(&self.0.asked).remove(&id.to_string());
        self.0.send(response_message(id, answer), Some(of.as_deref().unwrap_or("(nothing asked)")));
    }

    pub fn refuse(&self, id: &Value, code: i64, message: &str) {
        self.respond(id, &Err(json!({"code": code, "message": message})));
    }

    /// Writes what may be no message at all.
    pub fn raw(&self, line: impl Into<Vec<u8>>) {
        if let Some(outgoing) = &*lock(&self.0.outgoing) {
            let mut line = line.into();
            line.push(b'\n');
            let _ = outgoing.send(line);
        }
    }

    /// Writes a line that the other side may still answer under that id, which no other request may have.
    pub fn raw_request(&self, id: u64, line: impl Into<Vec<u8>>) -> Call {
        let (answer, answered) = oneshot::channel();
        lock(&self.0.waiting).insert(id, ("(a raw line)".to_owned(), Some(answer)));
        self.raw(line);
        Call { peer: self.clone(), id, answered: Some(answered) }
    }

    /// Ends this side's bytes, after what was written before.
    pub fn close(&self) {
        lock(&self.0.outgoing).take();
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").finish_non_exhaustive()
    }
}

/// A request that waits for its answer.
#[derive(Debug)]
pub struct Call {
    peer: Peer,
    id: u64,
    answered: Option<oneshot::Receiver<Answer>>,
}

impl Call {
    /// The answer. When the connection ends first, an error that says so.
    pub async fn answer(mut self) -> Answer {
        let answered = self.answered.as_mut().expect("taken only here, and this takes the call");
        let answer = answered.await;
        self.answered = None;
        answer.unwrap_or_else(|_| Err(json!({"code": 0, "message": "the connection ended"})))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let waiting = lock(&self.peer.0.waiting).get_mut(&self.id).and_then(|(_, it)| it.take());
        if self.answered.is_some() && waiting.is_some() {
            self.peer.notify("$/cancel_request", json!({"requestId": self.id}));
        }
    }
}
