//! A session of the mock agent, and the turn that plays a prompt's script.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Result, anyhow};
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::sync::{OnceCell, watch};
use tokio_util::sync::CancellationToken;

use super::command::Command;
use super::{Agent, shapes};
use crate::mcp::{HttpServer, Server};
use crate::wire::Peer;
use unpoisoned::lock;

const TOOL: &str = "ide_operation";

/// The tool for TypeScript.
const SCRIPT: &str = "script";

pub(super) struct Session {
    id: String,
    /// `mcpServers` as it came.
    declared: Value,
    servers: OnceCell<Vec<Arc<Server>>>,
    pub(super) early: watch::Sender<Option<String>>,
    turn: Mutex<CancellationToken>,
}

impl Session {
    pub(super) fn new(id: String, params: &Value) -> Self {
        let declared = params["mcpServers"].clone();
        Self {
            id,
            declared,
            servers: OnceCell::new(),
            early: watch::Sender::new(None),
            turn: Mutex::default(),
        }
    }

    pub(super) fn cancel(&self) {
        lock(&self.turn).cancel();
    }

    /// The servers, connected at the first need.
    async fn servers(&self, agent: &Agent) -> Result<&Vec<Arc<Server>>> {
        let Agent { servers, config, peer, .. } = agent;
        let connecting = async || servers.connected(&self.declared, config, peer, agent.hears()).await;
        self.servers.get_or_try_init(connecting).await
    }

    pub(super) async fn list_tools(&self, agent: &Agent) -> String {
        self.tool_names(agent).await.unwrap_or_else(|error| format!("no tools: {error:#}"))
    }

    async fn tool_names(&self, agent: &Agent) -> Result<String> {
        let mut lines = Vec::new();
        for server in self.servers(agent).await? {
            let tools = server.tools().await?;
            let names: Vec<_> = tools.iter().map(|it| it["name"].as_str().unwrap_or("(nameless)")).collect();
            lines.push(format!("{}: {}", server.name, names.join(", ")));
        }
        Ok(if lines.is_empty() { "no servers".to_owned() } else { lines.join("\n") })
    }

    async fn describe(&self, agent: &Agent, name: &str) -> Result<String> {
        let tool = self.tool(agent).await?.tools().await?.into_iter().find(|it| it["name"] == name);
        let tool = tool.ok_or_else(|| anyhow!("no server lists `{name}`"))?;
        Ok(tool["description"].as_str().unwrap_or_default().to_owned())
    }

    /// The server with our tool, which is the last one: the component adds it after the editor's own.
    async fn tool(&self, agent: &Agent) -> Result<&Server> {
        let server = self.servers(agent).await?.last();
        server.map(Arc::as_ref).ok_or_else(|| anyhow!("the session was given no MCP server"))
    }

    async fn call(&self, agent: &Agent, program: &str, wait: Option<f64>) -> String {
        let mut arguments = json!({"program": program});
        if let Some(wait) = wait {
            arguments["wait"] = json!(wait);
        }
        match self.tool(agent).await {
            Ok(server) => shapes::tool_text(server.call(TOOL, arguments).await),
            Err(error) => format!("no tool: {error:#}"),
        }
    }

    async fn call_for(&self, agent: &Agent, program: &str, id: &str) -> String {
        match self.tool(agent).await {
            Ok(server) => shapes::tool_text(server.call_for(TOOL, json!({"program": program}), id).await),
            Err(error) => format!("no tool: {error:#}"),
        }
    }

    async fn script(&self, agent: &Agent, arguments: Value) -> String {
        match self.tool(agent).await {
            Ok(server) => shapes::tool_text(server.call(SCRIPT, arguments).await),
            Err(error) => format!("no tool: {error:#}"),
        }
    }

    /// Begins a call, and comes back when it is on its way.
    pub(super) async fn call_early(self: &Arc<Self>, agent: &Arc<Agent>, program: &str) {
        let connected = self.tool(agent).await.map(|_| ());
        if let Err(error) = connected {
            self.early.send_replace(Some(format!("no tool: {error:#}")));
            return;
        }
        let (session, agent, program) = (Arc::clone(self), Arc::clone(agent), program.to_owned());
        let calling = tokio::spawn(async move {
            let answer = session.call(&agent, &program, None).await;
            session.early.send_replace(Some(answer));
        });
        drop(calling);
        tokio::task::yield_now().await;
    }

    fn http_server(&self) -> Result<HttpServer> {
        let entries = self.declared.as_array().into_iter().flatten();
        let entry = entries.rev().find(|it| it["type"] == "http");
        HttpServer::new(entry.ok_or_else(|| anyhow!("the session was given no HTTP server"))?)
    }
}

/// One prompt being played.
pub(super) struct Turn {
    pub(super) agent: Arc<Agent>,
    session: Arc<Session>,
    cancelled: CancellationToken,
    /// Texts for the end of the turn. An update that is sent earlier may or may not overtake the effects of the next
    /// command elsewhere.
    unsaid: Mutex<Vec<String>>,
}

impl Turn {
    pub(super) fn new(agent: Arc<Agent>, session: Arc<Session>) -> Self {
        let cancelled = CancellationToken::new();
        *lock(&session.turn) = cancelled.clone();
        Self { agent, session, cancelled, unsaid: Mutex::default() }
    }

    /// Plays the script and gives the turn's stop reason.
    pub(super) async fn play(&self, script: &str) -> &'static str {
        if self.cancelled.run_until_cancelled(self.play_lines(script)).await.is_none() {
            return "cancelled"; // what was under way was dropped, and so cancelled
        }
        for text in lock(&self.unsaid).drain(..) {
            let said = shapes::chunk(self.agent.version(), &self.session.id, &text);
            self.agent.peer.notify("session/update", said);
        }
        "end_turn"
    }

    async fn play_lines(&self, script: &str) {
        let mut lines = script.lines().map(str::trim).filter(|it| !it.is_empty());
        while let Some(line) = lines.next() {
            match Command::parse(line) {
                Ok(Command::Together) => {
                    let calls = lines.by_ref().map(|line| self.play_one(line));
                    let said = join_all(calls).await;
                    lock(&self.unsaid).extend(said);
                }
                Ok(command) => {
                    let said = self.obey(command).await;
                    lock(&self.unsaid).extend(said);
                }
                Err(error) => lock(&self.unsaid).push(format!("not understood: {error:#}")),
            }
        }
    }

    async fn play_one(&self, line: &str) -> String {
        match Command::parse(line) {
            Ok(command) => self.obey(command).await.unwrap_or_default(),
            Err(error) => format!("not understood: {error:#}"),
        }
    }

    /// Takes the pending text, if any.
    async fn obey(&self, command: Command) -> Option<String> {
        let (agent, session, peer) = (&self.agent, &self.session, &self.agent.peer);
        match command {
            Command::Tools => Some(session.list_tools(agent).await),
            Command::Describe(name) => {
                Some(or_error(session.describe(agent, name.as_deref().unwrap_or(TOOL)).await))
            }
            Command::Call { program, wait } => Some(session.call(agent, &program, wait).await),
            Command::CallFor { id, program } => Some(session.call_for(agent, &program, &id).await),
            Command::Script(arguments) => Some(session.script(agent, arguments).await),
            Command::Together => Some("`together` stands before calls, not among them".to_owned()),
            Command::Servers => Some(session.declared.to_string()),
            Command::Capabilities => {
                let client = lock(&agent.client);
                let version_2 = client.get("capabilities");
                Some(version_2.unwrap_or(&client["clientCapabilities"]).to_string())
            }
            Command::Early => Some(early(session).await),
            Command::Request { method, params } => Some(self.request(&method, params).await),
            Command::Notify { method, params } => {
                peer.notify(&method, params);
                None
            }
            Command::Count { n, method } => {
                (1..=n).for_each(|n| peer.notify(&method, json!({"sessionId": session.id, "n": n})));
                None
            }
            Command::Enlarge { bytes, method } => Some(enlarge(peer, bytes, &method).await),
            Command::Http { method, path, headers } => {
                Some(or_error(http(session, &method, &path, &headers).await))
            }
            Command::Update(update) => {
                peer.notify("session/update", json!({"sessionId": session.id, "update": update}));
                None
            }
            Command::Time { n, what } => Some(self.time(n, &what).await),
            Command::Wait => std::future::pending().await,
            Command::Line(text) => {
                peer.raw(text);
                None
            }
            Command::Bytes(line) => {
                peer.raw(line);
                None
            }
            Command::Broken { id, line } => Some(match peer.raw_request(id, line).answer().await {
                Ok(result) => format!("result {result}"),
                Err(error) => format!("error {}", error["code"]),
            }),
            Command::Say(text) => Some(text),
            Command::Exit => {
                agent.gone.cancel();
                std::future::pending().await
            }
        }
    }

    async fn time(&self, n: u32, what: &Command) -> String {
        let mut times = Vec::new();
        for _ in 0..n {
            let started = Instant::now();
            Box::pin(self.obey(what.clone())).await;
            times.push(started.elapsed().as_nanos().to_string());
        }
        times.join(" ")
    }

    async fn request(&self, method: &str, mut params: Value) -> String {
        if let Some(session) = params.get_mut("sessionId") {
            *session = json!(self.session.id);
        }
        match self.agent.peer.request(method, params).answer().await {
            Ok(result) => format!("{method}: {result}"),
            Err(error) => format!("{method}: {error}"),
        }
    }
}

async fn early(session: &Session) -> String {
    let mut early = session.early.subscribe();
    let known = early.wait_for(Option::is_some).await.expect("the session holds the sender");
    known.clone().unwrap_or_default()
}

async fn enlarge(peer: &Peer, bytes: u64, method: &str) -> String {
    match peer.request(method, json!({"bytes": bytes})).answer().await {
        Ok(result) => format!("{} bytes", result["text"].as_str().map_or(0, str::len)),
        Err(error) => error.to_string(),
    }
}

/// `{path}` in the path is the server's own, so that a scenario can ask there and elsewhere.
async fn http(session: &Session, method: &str, path: &str, headers: &[(String, String)]) -> Result<String> {
    let mut server = session.http_server()?;
    server.path = path.replace("{path}", &server.path);
    let token =
        std::mem::take(&mut server.headers).into_iter().map(|(_, value)| value).next().unwrap_or_default();
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| (name.as_str(), value.replace("{token}", &token))).collect();
    let response = server.send(method, &headers, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await?;
    Ok(format!("HTTP {}", response.status))
}

fn or_error(result: Result<String>) -> String {
    result.unwrap_or_else(|error| format!("{error:#}"))
}
