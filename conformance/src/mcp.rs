//! An MCP client of either era over any of the transports that an agent is given: the mock agent's own.

mod http;
mod late;
mod stdio;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::wire::{Answer, Peer};

/// MCP's notification of progress.
pub const PROGRESS: &str = "notifications/progress";

pub use http::HttpServer;
use stdio::StdioServer;

/// The era of a client, which decides how it introduces itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// MCP 2026-07-28: no handshake, each request says everything.
    Modern,
    /// A revision that begins with `initialize`.
    Legacy(&'static str),
}

impl Era {
    pub const ALL: [Self; 3] = [Self::Modern, Self::Legacy("2025-06-18"), Self::Legacy("2025-11-25")];

    fn version(self) -> &'static str {
        match self {
            Self::Modern => "2026-07-28",
            Self::Legacy(version) => version,
        }
    }
}

impl FromStr for Era {
    type Err = anyhow::Error;

    fn from_str(version: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|it| it.version() == version);
        known.ok_or_else(|| anyhow!("no MCP revision `{version}` is known here"))
    }
}

/// The ways of a client toward its servers.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "a listener has none")]
pub struct Client {
    pub era: Era,
    /// True when the POST of a cancelled request stays open, and an answer to it is an error.
    pub keeps_posts: bool,
    /// The listener for progress, if the client asks for any.
    pub hears: Option<Hears>,
}

/// A server that an agent was given, connected.
pub struct Server {
    pub name: String,
    era: Era,
    next_id: AtomicU64,
    transport: Transport,
    /// True when the client asks for progress.
    asks_for_progress: bool,
}

enum Transport {
    Native { agent: Peer, server_id: Value },
    Http(HttpServer),
    Stdio(StdioServer),
}

impl Server {
    /// Connects to an entry of `mcpServers` and shakes hands as the era does. Progress is asked for where somebody
    /// hears it.
    ///
    /// # Errors
    /// When the entry cannot be understood, or the server refuses.
    pub async fn connect(entry: &Value, client: Client, agent: &Peer) -> Result<Self> {
        let Client { era, keeps_posts, hears } = client;
        let name =
            entry["name"].as_str().ok_or_else(|| anyhow!("a server without a name: {entry}"))?.to_owned();
        let transport = match entry["type"].as_str() {
            Some("acp") => Transport::Native { agent: agent.clone(), server_id: entry["serverId"].clone() },
            Some("http") => Transport::Http(HttpServer::new(entry)?.for_client(hears.clone(), keeps_posts)),
            None | Some("stdio") => Transport::Stdio(StdioServer::start(entry, hears.clone())?),
            Some(other) => bail!("no transport `{other}` is known here"),
        };
        let era = if matches!(transport, Transport::Native { .. }) { Era::Modern } else { era };
        let asks_for_progress = hears.is_some();
        let server = Self { name, era, next_id: AtomicU64::new(1), transport, asks_for_progress };
        server.introduce().await.with_context(|| format!("shaking hands with `{}`", server.name))?;
        Ok(server)
    }

    async fn introduce(&self) -> Result<()> {
        match self.era {
            Era::Modern => {
                let found = self.expect("server/discover", json!({})).await?;
                let versions = &found["supportedVersions"];
                let known = versions.as_array().is_some_and(|it| it.contains(&json!(self.era.version())));
                known.then_some(()).ok_or_else(|| anyhow!("the server supports {versions} only"))
            }
            Era::Legacy(version) => {
                let params = json!({
                    "protocolVersion": version, "capabilities": {},
                    "clientInfo": {"name": "mock-agent", "version": "0"},
                });
                let agreed = self.expect("initialize", params).await?["protocolVersion"].take();
                if agreed != version {
                    bail!("asked for {version}, the server answered {agreed}");
                }
                self.notify("notifications/initialized", json!({})).await
            }
        }
    }

    async fn expect(&self, method: &str, params: Value) -> Result<Value> {
        self.request(method, params).await.map_err(|error| anyhow!("{method}: {error}"))
    }

    /// The tools that the server lists, as it lists them.
    ///
    /// # Errors
    /// The server's own.
    pub async fn tools(&self) -> Result<Vec<Value>> {
        let listed = self.expect("tools/list", json!({})).await?;
        let tools = listed["tools"].as_array().cloned();
        tools.ok_or_else(|| anyhow!("tools/list answered without tools: {listed}"))
    }

    /// Calls a tool. Dropping the future cancels the call, as the transport does it.
    ///
    /// # Errors
    /// The protocol's; a tool that fails answers with `isError`.
    pub async fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Calls a tool as a part of the tool call of that id, which is in updates of the session.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn call_for(&self, tool: &str, arguments: Value, id: &str) -> Answer {
        let meta = json!({"claudecode/toolUseId": id});
        self.request("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta})).await
    }

    /// Any request.
    ///
    /// # Errors
    /// The server's, or that it is gone.
    pub async fn request(&self, method: &str, params: Value) -> Answer {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let mut params = self.dressed(params);
        if self.asks_for_progress && method == "tools/call" {
            params["_meta"]["progressToken"] = json!(id);
        }
        match &self.transport {
            Transport::Native { agent, server_id } => {
                let message = json!({
                    "serverId": server_id, "requestId": format!("r{id}"), "method": method, "params": params,
                });
                unpacked(agent.request("mcp/message", message).answer().await?)
            }
            Transport::Http(server) => server.request(id, self.era.version(), method, params).await,
            Transport::Stdio(server) => server.request(id, method, params).await,
        }
    }

    /// Notifies.
    ///
    /// # Errors
    /// When the server is gone.
    pub async fn notify(&self, method: &str, params: Value) -> Result<()> {
        match &self.transport {
            Transport::Native { .. } => Ok(()), // the binding carries requests only
            Transport::Http(server) => server.notify(self.era.version(), method, params).await,
            Transport::Stdio(server) => server.notify(method, params),
        }
    }

    /// Returns the metadata that the modern era sends with each request.
    fn dressed(&self, mut params: Value) -> Value {
        if self.era == Era::Modern {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!(self.era.version());
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "mock-agent", "version": "0"});
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        params
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({}, {:?})", self.name, self.era)
    }
}

/// Hears each step of progress, as MCP tells it.
pub type Hears = Arc<dyn Fn(&Value) + Send + Sync>;

/// Hands a message on, if it is about progress.
fn hear(hears: Option<&Hears>, message: &Value) {
    if let Some(hears) = hears.filter(|_| message["method"] == PROGRESS) {
        hears(&message["params"]);
    }
}

/// The answer inside an answered `mcp/message`.
fn unpacked(mut carrier: Value) -> Answer {
    match carrier["error"].take() {
        Value::Null => Ok(carrier["result"].take()),
        error => Err(error),
    }
}
