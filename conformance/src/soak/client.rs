//! The user's side of a soak: an editor with several sessions at once, whose answers are short.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use crate::chain::Chain;
use crate::editor::{by_itself, initialize, prompt};
use crate::record::{Log, Record};
use crate::wire::{self, Call, Incoming, Peer};
use unpoisoned::lock;

/// The time limit for reading messages that were sent.
const LATE: Duration = Duration::from_secs(5);

/// An editor that is connected. Clones are the same one.
#[derive(Clone, Debug)]
pub(super) struct Client {
    peer: Peer,
    /// The texts of each session since they were last read.
    said: Arc<watch::Sender<HashMap<String, Vec<String>>>>,
    /// Lines that were no messages.
    soiled: Arc<Mutex<Vec<String>>>,
}

impl Client {
    pub(super) async fn open(chain: &mut Chain, record: Option<Arc<Record>>) -> Result<Self> {
        let (Some(read), Some(write)) = (chain.read.take(), chain.write.take()) else { bail!("no streams") };
        let log = record.map_or(Log::Nowhere, |record| Log::Here { player: "editor", record });
        let (peer, heard) = wire::open(read, write, log);
        let client = Self { peer, said: Arc::default(), soiled: Arc::default() };
        tokio::spawn(client.clone().listen(heard));
        client.ask("initialize", initialize(1, &json!({}))).await?;
        Ok(client)
    }

    async fn listen(self, mut heard: mpsc::UnboundedReceiver<Incoming>) {
        while let Some(incoming) = heard.recv().await {
            match incoming {
                Incoming::Request { id, method, params } => {
                    by_itself(&self.peer, &id, &method, &params.unwrap_or(Value::Null));
                }
                Incoming::Notification { params: Some(params), .. } => self.hear(&params),
                Incoming::Notification { params: None, .. } => {}
                Incoming::Junk(line) => lock(&self.soiled).push(line),
            }
        }
    }

    fn hear(&self, params: &Value) {
        let update = &params["update"];
        let text = update["content"]["text"].as_str();
        let is_said = update["sessionUpdate"] == "agent_message_chunk";
        if let (Some(session), Some(text)) = (params["sessionId"].as_str(), text.filter(|_| is_said)) {
            let said = |it: &mut HashMap<String, Vec<String>>| {
                it.entry(session.to_owned()).or_default().push(text.to_owned());
            };
            self.said.send_modify(said);
        }
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value> {
        let answer = self.peer.request(method, params).answer().await;
        answer.map_err(|error| anyhow!("{method}: {error}"))
    }

    /// A new session about a folder.
    pub(super) async fn session(&self, root: &Path) -> Result<String> {
        let set_up = self.ask("session/new", json!({"cwd": root, "mcpServers": []})).await?;
        let id = set_up["sessionId"].as_str();
        id.map(str::to_owned).ok_or_else(|| anyhow!("session/new gave no session: {set_up}"))
    }

    pub(super) async fn close(&self, session: &str) -> Result<()> {
        self.ask("session/close", json!({"sessionId": session})).await.map(drop)
    }

    /// Begins a turn in which the agent plays that script.
    pub(super) fn begin(&self, session: &str, script: &str) -> Call {
        self.peer.request("session/prompt", prompt(session, script))
    }

    /// The turn is to end now.
    pub(super) fn cancel(&self, session: &str) {
        self.peer.notify("session/cancel", json!({"sessionId": session}));
    }

    /// What the agent has said in a session since this was asked last: so many texts, if they come in time. Of a turn
    /// they may be read a moment after its end.
    pub(super) async fn said(&self, session: &str, count: usize) -> Vec<String> {
        let mut said = self.said.subscribe();
        let all_said = said.wait_for(|it| it.get(session).map_or(0, Vec::len) >= count);
        drop(tokio::time::timeout(LATE, all_said).await);
        let mut texts = Vec::new();
        self.said.send_if_modified(|it| {
            texts = it.remove(session).unwrap_or_default();
            false // nobody waits for less
        });
        texts
    }

    pub(super) fn soiled(&self) -> Vec<String> {
        lock(&self.soiled).clone()
    }

    /// The editor is closed.
    pub(super) fn leave(&self) {
        self.peer.close();
    }
}
