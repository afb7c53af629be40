//! The mock editor: an ACP client without a screen. It does what the scenario's script says, and answers requests
//! from a table.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use crate::lent_server::LentServer;
use crate::record::Log;
use crate::wire::{self, Answer, Call, Incoming, Peer};
use unpoisoned::lock;

/// The answer to one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    Result(Value),
    /// An error object.
    Error(Value),
    /// An object `{"text": …}` of that many bytes.
    Big(usize),
    /// Nothing, until it is cancelled.
    Never,
    /// Nothing, until the script says what.
    Held,
}

/// The editor's answers: of each method, the first is given once, the second once, and the last for ever.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    replies: HashMap<String, Vec<Reply>>,
    /// The language server that it lends.
    lent: Option<Arc<LentServer>>,
}

impl Answers {
    /// From lines `METHOD RESULT`, `METHOD error CODE MESSAGE`, `METHOD refuse ERROR`, `METHOD big BYTES`,
    /// `METHOD never` and `METHOD held`.
    /// An indented line continues the one above.
    ///
    /// # Errors
    /// When a line is none of these.
    pub fn parse(text: &str) -> Result<Self> {
        let mut answers = Self::default();
        for line in joined(text) {
            let (method, reply) =
                line.split_once(' ').ok_or_else(|| anyhow!("not `METHOD ANSWER`: {line}"))?;
            let reply = reply_of(reply).with_context(|| format!("the answer to `{method}`"))?;
            answers.replies.entry(method.to_owned()).or_default().push(reply);
        }
        Ok(answers)
    }

    /// With that folder in the place of `<workspace>`.
    ///
    /// # Errors
    /// When an answer is no JSON after that.
    pub fn filled(mut self, root: &Path) -> Result<Self> {
        for reply in self.replies.values_mut().flatten() {
            if let Reply::Result(result) = reply {
                let text = result.to_string().replace("<workspace>", &root.display().to_string());
                *result = serde_json::from_str(&text)?;
            }
        }
        Ok(self)
    }

    /// With a language server that the editor lends.
    #[must_use]
    pub fn lending(self, server: Arc<LentServer>) -> Self {
        Self { lent: Some(server), ..self }
    }

    /// Returns `true` if the editor says that it lends language servers.
    fn lends(&self) -> bool {
        self.lent.is_some() || self.replies.contains_key("lsp/servers")
    }

    fn next(&mut self, method: &str) -> Option<Reply> {
        let replies = self.replies.get_mut(method)?;
        Some(if replies.len() > 1 { replies.remove(0) } else { replies[0].clone() })
    }
}

fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|it| !it.trim().is_empty()) {
        match lines.last_mut() {
            Some(last) if line.starts_with(' ') => *last += line.trim(),
            _ => lines.push(line.trim_end().to_owned()),
        }
    }
    lines
}

fn reply_of(text: &str) -> Result<Reply> {
    match text.split_once(' ').unwrap_or((text, "")) {
        ("error", rest) => {
            let (code, message) = rest.split_once(' ').unwrap_or((rest, "refused"));
            let code: i64 = code.parse()?;
            Ok(Reply::Error(json!({"code": code, "message": message})))
        }
        ("refuse", error) => Ok(Reply::Error(serde_json::from_str(error)?)),
        ("big", bytes) => Ok(Reply::Big(bytes.parse()?)),
        ("never", _) => Ok(Reply::Never),
        ("held", _) => Ok(Reply::Held),
        _ => Ok(Reply::Result(serde_json::from_str(text)?)),
    }
}

/// An editor that is connected.
#[derive(Debug)]
pub struct Editor {
    peer: Peer,
    sessions: HashMap<String, String>,
    turns: HashMap<String, Call>,
    attached: HashMap<String, Vec<Value>>,
    soiled: Arc<Mutex<Vec<String>>>,
    held: mpsc::UnboundedReceiver<Held>,
    lends: bool,
}

/// A request that waits for the script: its method and id.
type Held = (String, Value);

impl Editor {
    /// Speaks over these streams and answers in the background.
    pub fn open(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        answers: Answers,
        log: Log,
    ) -> Self {
        let (peer, heard) = wire::open(read, write, log);
        let (soiled, (hold, held)) = (Arc::default(), mpsc::unbounded_channel());
        let lends = answers.lends();
        tokio::spawn(answer(peer.clone(), heard, answers, Arc::clone(&soiled), hold));
        let (sessions, turns, attached) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { peer, sessions, turns, attached, soiled, held, lends }
    }

    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Lines that were no messages. There must be none.
    pub fn soiled(&self) -> Vec<String> {
        lock(&self.soiled).clone()
    }

    /// Waits for the oldest request that is held back, and returns its id.
    ///
    /// # Errors
    /// When it is one of another method.
    pub async fn held(&mut self, method: &str) -> Result<Value> {
        let (held, id) = self.held.recv().await.ok_or_else(|| anyhow!("the chain is gone"))?;
        if held != method {
            bail!("the oldest request that is held back is `{held}`, not `{method}`");
        }
        Ok(id)
    }

    /// Answers a request that was held back; `{"error": …}` refuses it.
    pub fn answer(&self, id: &Value, result: Value) {
        let answer = if result["error"].is_object() { Err(result["error"].clone()) } else { Ok(result) };
        self.peer.respond(id, &answer);
    }

    /// Asks, and gives the result.
    ///
    /// # Errors
    /// The other side's.
    pub async fn ask(&self, method: &str, params: Value) -> Result<Value> {
        let answer = self.peer.request(method, params).answer().await;
        answer.map_err(|error| anyhow!("{method}: {error}"))
    }

    /// `initialize` of that version of ACP, with that `_meta` among the capabilities.
    ///
    /// # Errors
    /// The other side's.
    pub async fn initialize(&self, protocol: u64, meta: &Value) -> Result<Value> {
        let mut params = initialize(protocol, meta);
        if self.lends {
            let capabilities = if protocol >= 2 { "capabilities" } else { "clientCapabilities" };
            params[capabilities]["lsp"] = json!({});
        }
        self.ask("initialize", params).await
    }

    /// Sets a session up and remembers it by `name`.
    ///
    /// # Errors
    /// The other side's, or that it gave no id.
    pub async fn set_up(&mut self, method: &str, name: &str, params: Value) -> Result<()> {
        let known = params["sessionId"].clone();
        let set_up = self.ask(method, params).await?;
        let id = set_up["sessionId"].as_str().or(known.as_str());
        let id = id.ok_or_else(|| anyhow!("{method} gave no session: {set_up}"))?.to_owned();
        self.sessions.insert(name.to_owned(), id);
        Ok(())
    }

    /// The id of the session of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn session(&self, name: &str) -> Result<&str> {
        let id =
            self.sessions.get(name).ok_or_else(|| anyhow!("the script has set up no session `{name}`"))?;
        Ok(id)
    }

    /// The next prompt of that session has this content block too.
    pub fn attach(&mut self, name: &str, block: Value) {
        self.attached.entry(name.to_owned()).or_default().push(block);
    }

    /// Begins a turn.
    ///
    /// # Errors
    /// When the session is not known.
    pub fn prompt(&mut self, name: &str, text: &str) -> Result<()> {
        let mut params = prompt(self.session(name)?, text);
        if let (Some(blocks), Some(attached)) = (params["prompt"].as_array_mut(), self.attached.remove(name))
        {
            blocks.extend(attached);
        }
        let turn = self.peer.request("session/prompt", params);
        if self.turns.insert(name.to_owned(), turn).is_some() {
            bail!("the turn of `{name}` before this one was not awaited");
        }
        Ok(())
    }

    /// Waits for the end of a turn.
    ///
    /// # Errors
    /// When none was begun.
    pub async fn turn(&mut self, name: &str) -> Result<Answer> {
        let turn = self.turns.remove(name).ok_or_else(|| anyhow!("no turn of `{name}` is under way"))?;
        Ok(turn.answer().await)
    }

    /// One whole turn, for tests that have no script: what the agent said is in the record.
    ///
    /// # Errors
    /// The other side's.
    pub async fn whole_turn(&mut self, name: &str, text: &str) -> Result<Value> {
        self.prompt(name, text)?;
        self.turn(name).await?.map_err(|error| anyhow!("session/prompt: {error}"))
    }

    /// Drops every turn without cancelling it, as an editor that is gone does.
    pub fn forget(&mut self) {
        self.turns.drain().for_each(|(_, turn)| std::mem::forget(turn));
    }
}

/// The params of a prompt.
pub fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

/// The params of `initialize`.
pub fn initialize(protocol: u64, meta: &Value) -> Value {
    let client = json!({"name": "mock-editor", "version": "0"});
    if protocol >= 2 {
        return json!({"protocolVersion": protocol, "capabilities": {"_meta": meta}, "info": client});
    }
    json!({
        "protocolVersion": protocol,
        "clientCapabilities": {"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": false, "_meta": meta},
        "clientInfo": client,
    })
}

async fn answer(
    peer: Peer,
    mut heard: mpsc::UnboundedReceiver<Incoming>,
    mut answers: Answers,
    soiled: Arc<Mutex<Vec<String>>>,
    hold: mpsc::UnboundedSender<Held>,
) {
    let mut unanswered = Vec::new();
    while let Some(incoming) = heard.recv().await {
        match incoming {
            Incoming::Request { id, method, params } => match answers.next(&method) {
                Some(Reply::Never) => unanswered.push(id),
                Some(Reply::Held) => drop(hold.send((method, id))), // the scenario may be over
                Some(reply) => peer.respond(&id, &say(reply)),
                None => {
                    let params = params.unwrap_or(Value::Null);
                    let lent = answers.lent.as_ref();
                    if !lent.is_some_and(|it| it.answers(&peer, &id, &method, &params)) {
                        by_itself(&peer, &id, &method, &params);
                    }
                }
            },
            Incoming::Notification { method, params } if method == "$/cancel_request" => {
                let cancelled = &params.unwrap_or(Value::Null)["requestId"];
                if let Some(at) = unanswered.iter().position(|it| it == cancelled) {
                    peer.refuse(&unanswered.swap_remove(at), -32800, "cancelled");
                }
            }
            Incoming::Notification { .. } => {}
            Incoming::Junk(line) => lock(&soiled).push(line),
        }
    }
}

fn say(reply: Reply) -> Answer {
    match reply {
        Reply::Result(result) => Ok(result),
        Reply::Error(error) => Err(error),
        Reply::Big(bytes) => Ok(json!({"text": "x".repeat(bytes)})),
        Reply::Never | Reply::Held => unreachable!("the caller keeps these"),
    }
}

/// Returns the editor's answer to a request that the scenario does not mention.
pub(crate) fn by_itself(peer: &Peer, id: &Value, method: &str, params: &Value) {
    match method {
        "session/request_permission" => {
            let chosen = json!({"outcome": "selected", "optionId": params["options"][0]["optionId"]});
            peer.respond(id, &Ok(json!({"outcome": chosen})));
        }
        "fs/read_text_file" => match std::fs::read_to_string(params["path"].as_str().unwrap_or_default()) {
            Ok(text) => peer.respond(id, &Ok(json!({"content": text}))),
            Err(error) => peer.refuse(id, -32002, &error.to_string()),
        },
        "fs/write_text_file" => {
            let (path, text) = (params["path"].as_str(), params["content"].as_str());
            match std::fs::write(path.unwrap_or_default(), text.unwrap_or_default()) {
                Ok(()) => peer.respond(id, &Ok(json!({}))),
                Err(error) => peer.refuse(id, -32603, &error.to_string()),
            }
        }
        _ => peer.refuse(id, -32601, &format!("the mock editor has no method `{method}`")),
    }
}
