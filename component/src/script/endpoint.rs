//! A loopback endpoint over which an external runtime exchanges frames, for runtimes whose standard streams are taken.
//!
//! The runtime posts each frame as JSON, with a token that only it knows. The answer to `ready` is the frame that starts
//! the program; the answer to a call is its outcome; other frames have an empty answer.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use script_protocol::{Decoder, FromRuntime, MAX_FRAME, ToRuntime, encode};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::mcp::secret::{identifier, is_same};
use unpoisoned::lock;

/// The environment variables of the process.
pub(super) const ADDRESS: &str = "DIALECT_ENDPOINT";
pub(super) const TOKEN: &str = "DIALECT_TOKEN";

/// The header of requests.
const HEADER: &str = "x-dialect-token";

/// The number under which the frame that starts the program is waited for; calls count from 1.
const START: u64 = 0;

/// The bytes that wait between the endpoint and the host.
const BUFFER: usize = 64 * 1024;

/// An endpoint for one process. It closes when this is dropped.
#[derive(Debug)]
pub(super) struct Endpoint {
    address: SocketAddr,
    token: String,
    shared: Arc<Shared>,
    _serving: AbortOnDropHandle<()>,
    _answering: AbortOnDropHandle<()>,
}

/// The host's ends of the streams of frames, as those of a process's pipes.
pub(super) struct Streams {
    pub(super) input: DuplexStream,
    pub(super) output: DuplexStream,
}

#[derive(Debug)]
struct Shared {
    token: String,
    /// The frames of the runtime; `None` once its process has ended.
    frames: tokio::sync::Mutex<Option<DuplexStream>>,
    /// The frames of the host and the requests that they answer, whichever came first.
    answers: Mutex<HashMap<u64, Answer>>,
}

/// One half of an answered request.
#[derive(Debug)]
enum Answer {
    Wanted(oneshot::Sender<Vec<u8>>),
    /// A call may have callbacks before its answer.
    Given(VecDeque<Vec<u8>>),
}

impl Shared {
    /// Waits for the answer to a request.
    fn want(&self, number: u64) -> oneshot::Receiver<Vec<u8>> {
        let (sender, receiver) = oneshot::channel();
        let mut answers = lock(&self.answers);
        match answers.remove(&number) {
            Some(Answer::Given(mut all)) => {
                // The receiver is held here.
                drop(all.pop_front().map(|json| sender.send(json)));
                if !all.is_empty() {
                    answers.insert(number, Answer::Given(all));
                }
            }
            Some(Answer::Wanted(_)) | None => drop(answers.insert(number, Answer::Wanted(sender))),
        }
        receiver
    }

    /// Answers a request that is there, or will be.
    fn give(&self, number: u64, json: Vec<u8>) {
        let mut answers = lock(&self.answers);
        match answers.remove(&number) {
            // The request may be gone.
            Some(Answer::Wanted(sender)) => drop(sender.send(json)),
            Some(Answer::Given(mut all)) => {
                all.push_back(json);
                answers.insert(number, Answer::Given(all));
            }
            None => drop(answers.insert(number, Answer::Given(VecDeque::from([json])))),
        }
    }
}

impl Endpoint {
    /// Opens an endpoint on a free port of loopback.
    pub(super) async fn open() -> io::Result<(Self, Streams)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (input, to_runtime) = duplex(BUFFER);
        let (output, from_runtime) = duplex(BUFFER);
        let token = identifier();
        let shared = Arc::new(Shared {
            token: token.clone(),
            frames: tokio::sync::Mutex::new(Some(from_runtime)),
            answers: Mutex::default(),
        });
        let router = Router::new()
            .route("/", post(receive))
            .layer(DefaultBodyLimit::max(MAX_FRAME))
            .with_state(Arc::clone(&shared));
        let serving = AbortOnDropHandle::new(tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::debug!(%error, "the endpoint of a script ended");
            }
        }));
        let answering = AbortOnDropHandle::new(tokio::spawn(answer(to_runtime, Arc::clone(&shared))));
        let endpoint = Self { address, token, shared, _serving: serving, _answering: answering };
        Ok((endpoint, Streams { input, output }))
    }

    /// Returns the variables that tell the process where to send its frames.
    pub(super) fn environment(&self) -> [(&'static str, String); 2] {
        [(ADDRESS, format!("http://{}/", self.address)), (TOKEN, self.token.clone())]
    }

    /// Returns a future that ends the stream of frames, for when the process has ended.
    pub(super) fn end(&self) -> impl Future<Output = ()> + use<> {
        let shared = Arc::clone(&self.shared);
        async move { drop(shared.frames.lock().await.take()) }
    }
}

/// Passes a frame on to the host, and returns the frame that answers it.
async fn receive(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Vec<u8>, StatusCode> {
    let given = headers.get(HEADER).and_then(|it| it.to_str().ok()).unwrap_or_default();
    if !is_same(given, &shared.token) {
        return Err(StatusCode::UNAUTHORIZED);
    }
    let frame: FromRuntime = serde_json::from_slice(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    let answered = match &frame {
        FromRuntime::Ready { .. } => Some(START),
        FromRuntime::Call(call) => Some(call.call),
        FromRuntime::Returned(returned) => Some(returned.call),
        FromRuntime::Log(_) | FromRuntime::Done(_) | FromRuntime::Failed(_) => None,
    };
    let answer = answered.map(|number| shared.want(number));
    let bytes = encode(&frame).map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
    let mut frames = shared.frames.lock().await;
    let stream = frames.as_mut().ok_or(StatusCode::GONE)?;
    stream.write_all(&bytes).await.map_err(|_| StatusCode::GONE)?;
    drop(frames);
    match answer {
        Some(answer) => answer.await.map_err(|_| StatusCode::GONE),
        None => Ok(Vec::new()),
    }
}

/// Gives the frames of the host to the requests that wait for them.
async fn answer(mut stream: DuplexStream, shared: Arc<Shared>) {
    let (mut decoder, mut chunk) = (Decoder::default(), vec![0; BUFFER]);
    while let Ok(count @ 1..) = stream.read(&mut chunk).await {
        decoder.push(&chunk[..count]);
        while let Ok(Some(frame)) = decoder.decode::<ToRuntime>() {
            let number = match &frame {
                ToRuntime::Start(_) => START,
                ToRuntime::Answered(answered) => answered.call,
                ToRuntime::Callback(callback) => callback.call,
            };
            let json = serde_json::to_vec(&frame).expect("frames are plain data");
            shared.give(number, json);
        }
    }
    lock(&shared.answers).clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn request(address: SocketAddr, token: &str, body: &str) -> String {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let length = body.len();
        let head = format!(
            "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{HEADER}: {token}\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn only_who_knows_the_token_is_heard() {
        let (endpoint, Streams { mut input, mut output }) = Endpoint::open().await.unwrap();
        let log = r#"{"log": {"text": "x"}}"#;
        for token in ["", "wrong", &endpoint.token[1..]] {
            assert!(request(endpoint.address, token, log).await.starts_with("HTTP/1.1 401"), "{token}");
        }
        assert!(request(endpoint.address, &endpoint.token, "{}").await.starts_with("HTTP/1.1 400"));
        assert!(request(endpoint.address, &endpoint.token, log).await.starts_with("HTTP/1.1 200"));
        let call = r#"{"call": {"call": 7, "target": {"candidate": {"of": 1, "index": 0}}}}"#;
        let calling = request(endpoint.address, &endpoint.token, call);
        let host = async {
            let (mut decoder, mut chunk) = (Decoder::default(), [0; 1024]);
            loop {
                let count = output.read(&mut chunk).await.unwrap();
                decoder.push(&chunk[..count]);
                while let Some(frame) = decoder.decode::<FromRuntime>().unwrap() {
                    if let FromRuntime::Call(call) = frame {
                        let error = script_protocol::CallError { message: "no".into(), ..Default::default() };
                        let outcome = script_protocol::CallOutcome::Error(error);
                        let answered = script_protocol::Answered { call: call.call, outcome };
                        input.write_all(&encode(&ToRuntime::Answered(answered)).unwrap()).await.unwrap();
                        return;
                    }
                }
            }
        };
        let (answer, ()) = tokio::join!(calling, host);
        assert!(answer.contains(r#""call":7"#) && answer.contains(r#""message":"no""#), "{answer}");
        endpoint.end().await;
        assert!(request(endpoint.address, &endpoint.token, log).await.starts_with("HTTP/1.1 410"));
    }
}
