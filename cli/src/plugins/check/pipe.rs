//! The bare pipe to a plugin: each line as it comes, with time limits.

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use component::plugins::Launch;
use plugin_protocol::envelope::ErrorObject;
use plugin_protocol::methods::Handshake;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

use unpoisoned::lock;

use crate::deviation::{Deviation, shown};

/// The time for an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The bytes of input that a plugin has to read within a time limit: less than a pipe holds.
const CHUNK: usize = 16 << 10;

/// The messages that are kept while another is waited for.
const MESSAGES: usize = 1000;

/// The bytes of a line that are kept.
const LINE: usize = 16 << 20;

/// The bytes of standard error that are kept.
const WORDS: usize = 4 << 10;

/// A plugin that runs for one check.
pub(super) struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    words: Arc<Mutex<VecDeque<u8>>>,
    /// The messages that were not waited for yet.
    kept: VecDeque<Value>,
    /// The lines that are no messages.
    pub(super) strays: Vec<String>,
}

impl Pipe {
    pub(super) fn start(launch: &Launch) -> std::io::Result<Self> {
        let mut command = Command::new(&launch.program);
        if launch.clears_environment {
            command.env_clear();
        }
        command.args(&launch.arguments).envs(&launch.environment);
        command.env("SCRIPTLING_PLUGIN_PEER", &launch.settings.host_version);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn()?;
        let (sender, lines) = mpsc::channel(64);
        let output = child.stdout.take().map(BufReader::new);
        tokio::spawn(async move {
            let Some(mut output) = output else { return };
            loop {
                let mut line = Vec::new();
                let limit = u64::try_from(LINE).unwrap_or(u64::MAX);
                let read = (&mut output).take(limit).read_until(b'\n', &mut line).await;
                let is_over = !matches!(read, Ok(1..));
                if is_over || sender.send(String::from_utf8_lossy(&line).into_owned()).await.is_err() {
                    return;
                }
            }
        });
        let words = Arc::new(Mutex::new(VecDeque::new()));
        let (errors, said) = (child.stderr.take(), Arc::clone(&words));
        tokio::spawn(async move {
            let Some(mut errors) = errors else { return };
            let mut chunk = vec![0; WORDS];
            while let Ok(count @ 1..) = errors.read(&mut chunk).await {
                let mut said = lock(&said);
                said.extend(&chunk[..count]);
                let surplus = said.len().saturating_sub(WORDS);
                said.drain(..surplus);
            }
        });
        let input = child.stdin.take();
        Ok(Self { child, input, lines, words, kept: VecDeque::new(), strays: Vec::new() })
    }

    /// Returns the end of what the plugin wrote to standard error.
    pub(super) fn last_words(&self) -> String {
        let bytes: Vec<u8> = lock(&self.words).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<_> = text.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        lines[lines.len().saturating_sub(3)..].join(" | ")
    }

    /// Writes bytes as they are. A plugin that stops reading them has a deviation; how fast it reads is its own affair.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), Deviation> {
        let unread = |came: &str| Deviation {
            sent: shown(&String::from_utf8_lossy(bytes)),
            came: came.to_owned(),
            expected: "the input is read while the plugin works".to_owned(),
        };
        let input = self.input.as_mut().ok_or_else(|| unread("its input is closed"))?;
        for chunk in bytes.chunks(CHUNK) {
            match timeout(PATIENCE * 2, input.write_all(chunk)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(unread(&self.end_of(&error.to_string()))),
                Err(_) => return Err(unread("the plugin stopped reading it")),
            }
        }
        Ok(())
    }

    pub(super) async fn send(&mut self, message: &Value) -> Result<(), Deviation> {
        self.write(format!("{message}\n").as_bytes()).await
    }

    fn end_of(&self, reason: &str) -> String {
        match self.last_words() {
            words if words.is_empty() => reason.to_owned(),
            words => format!("{reason}; its last words: {words}"),
        }
    }

    /// Returns the next message, or the reason why there is none.
    pub(super) async fn next(&mut self, until: Instant) -> Result<Value, String> {
        if let Some(message) = self.kept.pop_front() {
            return Ok(message);
        }
        self.read(until).await
    }

    async fn read(&mut self, until: Instant) -> Result<Value, String> {
        loop {
            let line = match timeout_at(until, self.lines.recv()).await {
                Err(_) => return Err(self.end_of("no answer within the time")),
                Ok(None) => {
                    let status = timeout(Duration::from_millis(500), self.child.wait()).await;
                    let status = status.ok().and_then(Result::ok);
                    let status =
                        status.map_or_else(|| "its output ended".to_owned(), |it| format!("it ended: {it}"));
                    return Err(self.end_of(&status));
                }
                Ok(Some(line)) => line,
            };
            match message(&line) {
                Some(message) => {
                    if message["method"] == "host.log" {
                        let answer =
                            json!({"jsonrpc": "2.0", "id": message["id"], "result": {"type": "null"}});
                        let _ = self.send(&answer).await; // the next read shows what is wrong
                        continue;
                    }
                    return Ok(message);
                }
                _ if line.trim().is_empty() => {}
                _ if self.strays.len() < 1000 => self.strays.push(shown(line.trim_end())),
                _ => return Err("more than 1000 lines that are no messages".to_owned()),
            }
        }
    }

    /// Returns the answer to a request that was sent.
    pub(super) async fn answer(&mut self, id: &Value, sent: &str) -> Result<Value, Deviation> {
        self.answer_within(id, sent, PATIENCE).await
    }

    pub(super) async fn answer_within(
        &mut self,
        id: &Value,
        sent: &str,
        patience: Duration,
    ) -> Result<Value, Deviation> {
        let kept = self.kept.iter().position(|it| it["id"] == *id && it.get("method").is_none());
        if let Some(message) = kept.and_then(|at| self.kept.remove(at)) {
            return well_formed(message, sent);
        }
        let until = Instant::now() + patience;
        loop {
            match self.read(until).await {
                Ok(message) if message["id"] == *id && message.get("method").is_none() => {
                    return well_formed(message, sent);
                }
                Ok(message) if self.kept.len() < MESSAGES => self.kept.push_back(message),
                Ok(_) => {
                    let (came, expected) =
                        (format!("more than {MESSAGES} messages"), format!("one with the id {id}"));
                    return Err(Deviation { sent: shown(sent), came, expected });
                }
                Err(came) => {
                    let others: Vec<_> = self.kept.iter().take(5).map(|it| shown(&it.to_string())).collect();
                    let came =
                        if others.is_empty() { came } else { format!("{came}; only {}", others.join(", ")) };
                    let expected = format!("an answer with the id {id}");
                    return Err(Deviation { sent: shown(sent), came, expected });
                }
            }
        }
    }

    /// Sends a request, and returns its answer.
    pub(super) async fn ask(&mut self, id: Value, method: &str, params: Value) -> Result<Value, Deviation> {
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message).await?;
        self.answer(&id, &message.to_string()).await
    }

    /// Makes the handshake.
    pub(super) async fn handshake(&mut self, version: &str) -> Result<Value, Deviation> {
        let params = serde_json::to_value(Handshake::new(version)).unwrap_or_default();
        self.ask(1.into(), "scriptling.handshake", params).await
    }

    /// Closes the input, and returns how the process ended, if it did within the time.
    pub(super) async fn end(&mut self, patience: Duration) -> Option<std::process::ExitStatus> {
        self.input = None;
        while let Ok(Some(line)) = timeout(patience, self.lines.recv()).await {
            let is_message =
                serde_json::from_str::<Value>(&line).is_ok_and(|it| it.is_object() || it.is_array());
            if !is_message && !line.trim().is_empty() {
                self.strays.push(shown(line.trim_end()));
            }
        }
        timeout(patience, self.child.wait()).await.ok()?.ok()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // The supervisor ends what the plugin started once its input is closed.
        self.input = None;
    }
}

/// Reads a message. A result that is deeper than JSON values can be here is a text.
fn message(line: &str) -> Option<Value> {
    #[derive(Deserialize)]
    struct Deep {
        jsonrpc: Value,
        id: Value,
        result: Box<RawValue>,
    }
    let shallow = serde_json::from_str::<Value>(line).ok().filter(|it| it.is_object() || it.is_array());
    let deep = || {
        let Deep { jsonrpc, id, result } = serde_json::from_str(line).ok()?;
        Some(json!({"jsonrpc": jsonrpc, "id": id, "result": result.get()}))
    };
    shallow.or_else(deep)
}

/// Checks the members of an answer.
fn well_formed(message: Value, sent: &str) -> Result<Value, Deviation> {
    let error = &message["error"];
    let (has_result, has_error) = (message.get("result").is_some(), !error.is_null());
    let expected = match () {
        () if message["jsonrpc"] != "2.0" => "\"jsonrpc\": \"2.0\" in each answer",
        () if has_result && has_error => "either a `result` or an `error`",
        () if has_error && !(error["code"].is_i64() && error["message"].is_string()) => {
            "an error with an integer `code` and a text `message`"
        }
        () => return Ok(message),
    };
    let came = shown(&message.to_string());
    Err(Deviation { sent: shown(sent), came, expected: expected.to_owned() })
}

/// Returns the error of an answer, or what came in place of one.
pub(super) fn error_of(answer: &Value, sent: &str) -> Result<ErrorObject, Deviation> {
    match answer["error"]["message"].as_str() {
        Some(text) => Ok(ErrorObject::new(text)),
        None => Err(Deviation {
            sent: shown(sent),
            came: shown(&answer.to_string()),
            expected: "an error: {\"code\": -32000, \"message\": \"…\"}".to_owned(),
        }),
    }
}
