//! MCP over the standard streams of a process.

use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};

use super::{Hears, hear};
use crate::wire::Answer;
use unpoisoned::lock;

type Waiting = Arc<std::sync::Mutex<std::collections::HashMap<u64, oneshot::Sender<Answer>>>>;

/// A server process, killed when it is dropped.
pub(super) struct StdioServer {
    _child: Child,
    outgoing: mpsc::UnboundedSender<Value>,
    waiting: Waiting,
}

impl StdioServer {
    pub(super) fn start(entry: &Value, hears: Option<Hears>) -> Result<Self> {
        let command =
            entry["command"].as_str().ok_or_else(|| anyhow!("a server without a command: {entry}"))?;
        let strings = |list: &Value| -> Vec<String> {
            list.as_array().into_iter().flatten().filter_map(|it| Some(it.as_str()?.to_owned())).collect()
        };
        let variables = entry["env"].as_array().into_iter().flatten();
        let mut child = Command::new(command)
            .args(strings(&entry["args"]))
            .envs(variables.filter_map(|it| Some((it["name"].as_str()?, it["value"].as_str()?))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let waiting = Waiting::default();
        let mut stdin = child.stdin.take().expect("it is piped");
        let stdout = child.stdout.take().expect("it is piped");
        let (outgoing, mut messages) = mpsc::unbounded_channel::<Value>();
        tokio::spawn(async move {
            while let Some(message) = messages.recv().await {
                if stdin.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        tokio::spawn(read(BufReader::new(stdout).lines(), Arc::clone(&waiting), hears));
        Ok(Self { _child: child, outgoing, waiting })
    }

    pub(super) async fn request(&self, id: u64, method: &str, params: Value) -> Answer {
        let (answer, answered) = oneshot::channel();
        lock(&self.waiting).insert(id, answer);
        let cancel = Cancel { server: self, id };
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = answered.await;
        std::mem::forget(cancel);
        answer.unwrap_or_else(|_| Err(json!({"code": 0, "message": "the server's output ended"})))
    }

    pub(super) fn notify(&self, method: &str, params: Value) -> Result<()> {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
        Ok(())
    }

    fn send(&self, message: Value) {
        let _ = self.outgoing.send(message); // a server that is gone answers nothing
    }
}

async fn read(mut lines: Lines<BufReader<ChildStdout>>, waiting: Waiting, hears: Option<Hears>) {
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(mut message) = serde_json::from_str::<Value>(&line) else { continue };
        hear(hears.as_ref(), &message);
        let asked = message["id"].as_u64().and_then(|id| lock(&waiting).remove(&id));
        let Some(asked) = asked else { continue };
        let answer = match message["error"].take() {
            Value::Null => Ok(message["result"].take()),
            error => Err(error),
        };
        let _ = asked.send(answer);
    }
    lock(&waiting).clear();
}

/// Tells the server that nobody waits any more, unless it is forgotten before.
struct Cancel<'a> {
    server: &'a StdioServer,
    id: u64,
}

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        let params = json!({"requestId": self.id});
        self.server.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }
}
