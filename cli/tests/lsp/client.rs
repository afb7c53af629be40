//! A client of the language server, over the standard streams of its process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// The time after which a missing message is a failure.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Client {
    process: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: i64,
    /// The kinds of semantic tokens.
    pub(crate) token_types: Vec<Value>,
    /// The notifications and requests that nobody waited for yet.
    pub(crate) heard: Vec<Value>,
}

impl Client {
    pub(crate) fn start(folder: &str, capabilities: &Value) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_ailang"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = process.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = process.stdin.take();
        let mut client =
            Self { process, input, messages, next: 0, token_types: Vec::new(), heard: Vec::new() };
        let folders = json!([{"uri": folder, "name": "it"}]);
        let params = json!({"processId": std::process::id(), "capabilities": capabilities, "workspaceFolders": folders});
        let offered = client.ask("initialize", &params).unwrap();
        let legend = &offered["capabilities"]["semanticTokensProvider"]["legend"];
        client.token_types = legend["tokenTypes"].as_array().unwrap().clone();
        client.tell("initialized", &json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks, and returns the result or the error.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.heed(message);
        }
    }

    fn heed(&mut self, message: Value) {
        if message.get("id").is_some() && message.get("method").is_some() {
            self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": null}));
        }
        self.heard.push(message);
    }

    /// Waits for a notification or a request for which `is_wanted` holds, and takes it.
    pub(crate) fn wait(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.heard.iter().position(&is_wanted) {
                return self.heard.remove(at);
            }
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            self.heed(message);
        }
    }

    /// Ends the server as editors do, and returns its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.ask("shutdown", &Value::Null).unwrap();
        self.tell("exit", &Value::Null);
        self.input = None;
        self.process.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill(); // it may have ended
        let _ = self.process.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
