//! What the component knows about one connection, and where its MCP servers can be reached.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ide_protocol::{Progress, Support};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::attach::{Address, Transport, attach, choose_transport, protocol_version, rereads_json};
use crate::mcp::McpServer;
use crate::permission::Gate;
use crate::session::{Attachment, Attachments};
use crate::tool::Tool;
use crate::upstream::{Ask, Upstream};
use crate::{Config, http, lock, relay};

/// One connection, between a conductor and an agent behind it.
pub(crate) struct Connection {
    executable: PathBuf,
    attachments: Arc<Attachments>,
    upstream: Arc<Upstream>,
    gate: Arc<Gate>,
    tool: Arc<Tool>,
    closed: CancellationToken,
    reach: Mutex<Option<Reach>>,
}

/// How this agent reaches us.
#[derive(Clone, Copy)]
struct Reach {
    version: u64,
    door: Door,
}

#[derive(Clone, Copy)]
enum Door {
    Native,
    Http(SocketAddr),
    Stdio(SocketAddr),
}

impl Connection {
    pub(crate) fn new(config: &Config, ask: Arc<dyn Ask>) -> Self {
        let gate = Arc::new(Gate::new(Arc::clone(&ask), config));
        let upstream = Arc::new(Upstream::new(ask));
        let tool = Arc::new(Tool::new(Arc::clone(&upstream), Arc::clone(&gate), config));
        Self {
            executable: config.executable.clone(),
            attachments: Arc::default(),
            upstream,
            gate,
            tool,
            closed: CancellationToken::new(),
            reach: Mutex::default(),
        }
    }

    /// Cancelled when the connection is over.
    pub(crate) fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    pub(crate) fn attachments(&self) -> &Attachments {
        &self.attachments
    }

    /// The user says something: what held for the turn before is over.
    pub(crate) fn prompted(&self, params: &Value) {
        self.attachments.prompted(params);
        if let Some(session) = params["sessionId"].as_str() {
            self.gate.turn_begins(session);
        }
    }

    /// He stops the turn, and with it what runs there and what he was asked for it.
    pub(crate) fn cancel_session(&self, session: &str) {
        self.attachments.cancel_session(session);
        self.gate.turn_ends(session);
    }

    pub(crate) fn end_session(&self, session: &str) {
        self.attachments.end_session(session);
        self.gate.session_ends(session);
    }

    pub(crate) fn server(&self, attachment: Arc<Attachment>) -> McpServer {
        McpServer::new(Arc::clone(&self.tool), attachment)
    }

    pub(crate) fn offers(&self, support: Support) {
        self.upstream.offers(support);
    }

    pub(crate) fn progress(&self, progress: Progress) {
        self.upstream.progress(progress);
    }

    /// The agent has answered `initialize`: opens the door that it can use.
    pub(crate) async fn initialized(&self, initialized: &Value) {
        let version = protocol_version(initialized);
        self.gate.speaks(version);
        self.tool.label_values(rereads_json(initialized));
        match self.door(choose_transport(initialized)).await {
            Ok(door) => *lock(&self.reach) = Some(Reach { version, door }),
            Err(error) => tracing::error!(%error, "nothing can be bound on loopback: the agent gets no tool"),
        }
    }

    /// A repeated `initialize` finds its door open.
    async fn door(&self, transport: Transport) -> std::io::Result<Door> {
        let open = lock(&self.reach).map(|it| it.door);
        let (attachments, tool) = (Arc::clone(&self.attachments), Arc::clone(&self.tool));
        match (transport, open) {
            (Transport::Native, _) => Ok(Door::Native),
            (Transport::Http, Some(door @ Door::Http(_)))
            | (Transport::Stdio, Some(door @ Door::Stdio(_))) => Ok(door),
            (Transport::Http, _) => http::listen(attachments, tool, self.closed()).await.map(Door::Http),
            (Transport::Stdio, _) => relay::listen(attachments, tool, self.closed()).await.map(Door::Stdio),
        }
    }

    /// Adds our server to a setup request. `None` when that cannot be done; the request goes on all the same.
    pub(crate) fn attach(&self, method: &str, params: &mut Value) -> Option<Arc<Attachment>> {
        let Some(reach) = *lock(&self.reach) else {
            tracing::warn!(method, "a session is set up before `initialize` was answered: it gets no tool");
            return None;
        };
        let attachment = self.attachments.open(roots(params));
        if !attach_at(params, reach, &attachment, &self.executable) {
            self.attachments.close(&attachment);
            return None;
        }
        if let ("session/load" | "session/resume", Some(session)) = (method, params["sessionId"].as_str()) {
            attachment.belongs_to(session); // the agent may call before it answers
        }
        Some(attachment)
    }

    /// The setup request was answered: with a result, or with an error.
    pub(crate) fn set_up(&self, attachment: &Attachment, result: Option<&Value>) {
        match result {
            None => self.attachments.close(attachment),
            Some(result) => {
                if let Some(session) = result["sessionId"].as_str() {
                    attachment.belongs_to(session);
                }
            }
        }
    }
}

/// The working directory first, then the additional directories; absolute, though some clients send `.`.
fn roots(params: &Value) -> Vec<PathBuf> {
    let more = params["additionalDirectories"].as_array();
    let all = [&params["cwd"]].into_iter().chain(more.into_iter().flatten());
    let absolute = |it: &str| std::path::absolute(it).unwrap_or_else(|_| it.into());
    all.filter_map(Value::as_str).map(absolute).collect()
}

fn attach_at(
    params: &mut Value,
    reach: Reach,
    attachment: &Attachment,
    executable: &std::path::Path,
) -> bool {
    let Attachment { server, secret, .. } = attachment;
    match reach.door {
        Door::Native => attach(params, reach.version, Address::Native { server }),
        Door::Http(address) => {
            let url = http::url(address, attachment);
            attach(params, reach.version, Address::Http { url: &url, secret })
        }
        Door::Stdio(address) => {
            let value = relay::directions(address, attachment);
            let (argument, variable) = (relay::COMMAND, relay::VARIABLE);
            attach(params, reach.version, Address::Stdio { executable, argument, variable, value: &value })
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.closed.cancel();
        self.attachments.end();
    }
}
