//! A client, connected to a server in this process.

use std::sync::Arc;
use std::time::Duration;

use dialect::Registry;
use language_server::{Options, serve};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::runtime::Runtime;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

/// The time after which a missing message is a failure.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns a runtime for a test that blocks on what a client does.
pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("it starts")
}

pub(crate) struct Client {
    input: WriteHalf<DuplexStream>,
    output: BufReader<ReadHalf<DuplexStream>>,
    next: i64,
    /// The requests and notifications of the server that nobody waited for yet.
    pub(crate) heard: Vec<Value>,
}

impl Client {
    /// Starts a server, and initializes it with these capabilities of the client.
    pub(crate) async fn start(capabilities: Value, folder: Option<&str>) -> (Self, Value) {
        let registry = Registry::new([core_library::library()]).expect("the library fits");
        let options = Arc::new(Options { registry: Arc::new(registry), command: Vec::new() });
        let (near, far) = duplex(1 << 20);
        let (far_input, far_output) = split(far);
        tokio::spawn(serve(far_input.compat(), far_output.compat_write(), options));
        let (output, input) = split(near);
        let mut client = Self { input, output: BufReader::new(output), next: 0, heard: Vec::new() };
        let folders = folder.map(|uri| json!([{"uri": uri, "name": "it"}]));
        let params = json!({"processId": null, "capabilities": capabilities, "workspaceFolders": folders});
        let answer = client.ask("initialize", params).await.expect("it starts");
        client.tell("initialized", json!({})).await;
        (client, answer)
    }

    async fn send(&mut self, message: Value) {
        let body = message.to_string();
        let framed = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.input.write_all(framed.as_bytes()).await.expect("the server reads");
    }

    pub(crate) async fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Asks, and returns the result or the error.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.next += 1;
        let id = self.next;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let message = self.receive().await;
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.heed(message).await;
        }
    }

    async fn heed(&mut self, message: Value) {
        if message.get("id").is_some() {
            self.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": null})).await;
        }
        self.heard.push(message);
    }

    /// Waits for a request or a notification of the server, and returns its parameters.
    pub(crate) async fn wait(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.heard.iter().position(|it| it["method"] == method) {
                return self.heard.remove(at)["params"].clone();
            }
            let message = self.receive().await;
            self.heed(message).await;
        }
    }

    async fn receive(&mut self) -> Value {
        tokio::time::timeout(PATIENCE, self.read()).await.expect("the server answers in time")
    }

    async fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).await.expect("the server writes");
            assert!(!line.is_empty(), "the server has ended");
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("it is a number");
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).await.expect("the server writes");
        serde_json::from_slice(&body).expect("it is JSON")
    }

    pub(crate) async fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document})).await;
    }
}

/// Returns the parameters of a request about a place.
pub(crate) fn at(uri: &str, line: u64, character: u64) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}
