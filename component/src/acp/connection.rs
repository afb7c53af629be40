//! The state of one connection, and the endpoints of its MCP servers.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ide_protocol::{Progress, Support};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::acp::known_agents::{keeps_servers_apart, mistreats_failures, rereads_json};
use crate::acp::mcp_servers::{Address, ServerNames, Transport, attach, choose_transport, protocol_version};
use crate::acp::sub_agents::reported_work;
use crate::acp::system_prompt;
use crate::acp::system_prompt::takes_system_prompt;
use crate::acp::upstream::{ClientLink, Upstream};
use crate::config::Config;
use crate::mcp::McpServer;
use crate::mcp::standalone::Standalone;
use crate::mcp::{http, relay};
use crate::permission::Gate;
use crate::plugins::tables;
use crate::session::routing::Routing;
use crate::session::{Attachment, Attachments};
use crate::tool::Tool;
use crate::tool::description::introduction;
use unpoisoned::lock;

/// A connection between a conductor and an agent behind it.
pub(crate) struct Connection {
    executable: PathBuf,
    attachments: Arc<Attachments>,
    names: Mutex<ServerNames>,
    routing: Arc<Routing>,
    upstream: Arc<Upstream>,
    gate: Arc<Gate>,
    tool: Arc<Tool>,
    closed: CancellationToken,
    link: Mutex<Option<AgentLink>>,
    /// True when the agent's system prompt gets a text about the tool.
    adds_to_system_prompt: bool,
}

/// The protocol version and the endpoint by which the agent reaches us.
#[derive(Clone, Copy)]
struct AgentLink {
    version: u64,
    endpoint: Endpoint,
    takes_system_prompt: bool,
}

#[derive(Clone, Copy)]
enum Endpoint {
    Native,
    Http(SocketAddr),
    Stdio(SocketAddr),
}

/// The capability of making edits.
const EDIT: &str = "prelude/FileSystemWrite";

impl Connection {
    pub(crate) fn new(config: &Config, client: Arc<dyn ClientLink>) -> Self {
        let catalogue = config.extensions.catalogue.clone();
        let gate =
            Arc::new(Gate::new(Arc::clone(&client), catalogue, config.state.as_ref(), config.read_only));
        if config.trusts_plugins {
            gate.allow(tables::RUN);
        }
        if config.trusts_edits {
            gate.allow(EDIT);
        }
        let upstream = Arc::new(Upstream::new(client));
        let attachments = Arc::<Attachments>::default();
        let routing = Arc::new(Routing::new(Arc::clone(&attachments)));
        let (to_client, routed) = (Arc::clone(&upstream), Arc::clone(&routing));
        let tool = Arc::new(Tool::new(to_client, Arc::clone(&gate), routed, config));
        Self {
            executable: config.executable.clone(),
            attachments,
            names: Mutex::default(),
            routing,
            upstream,
            gate,
            tool,
            closed: CancellationToken::new(),
            link: Mutex::default(),
            adds_to_system_prompt: config.adds_to_system_prompt,
        }
    }

    /// Returns a token that is cancelled when the connection is over.
    pub(crate) fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    pub(crate) fn attachments(&self) -> &Attachments {
        &self.attachments
    }

    /// Begins a new turn of a session with the user's prompt.
    pub(crate) fn prompted(&self, params: &Value) {
        self.attachments.prompted(params);
        if let Some(session) = params["sessionId"].as_str() {
            self.gate.turn_begins(session);
            self.routing.turn_begins(session);
        }
    }

    /// Ends the turn of a prompt that the agent has answered. In version 2 an answer only accepts the prompt.
    pub(crate) fn prompt_answered(&self, session: &str, is_accepted: bool) {
        let version = lock(&self.link).map_or(1, |it| it.version);
        if version < 2 || !is_accepted {
            self.routing.turn_ends(session);
        }
    }

    /// Reads the state of a session from an update of the agent. Version 2 ends turns so.
    pub(crate) fn updated(&self, params: &Value) {
        self.routing.updated(params);
        let update = &params["update"];
        let own = params["sessionId"].as_str();
        if let Some(session) = own {
            self.tool_call_updated(session, update);
        }
        let own = own.filter(|_| update["sessionUpdate"] == "state_update");
        let own = own.map(|session| (session, update["state"] != "idle"));
        if let Some((session, is_at_work)) = own {
            self.routing.reported(session, is_at_work);
        }
        let is_sub_agent = |it: &(&str, bool)| self.routing.sub_agents().is_sub_agent(it.0);
        match reported_work(update).or(own.filter(is_sub_agent)) {
            Some((session, true)) => self.gate.turn_begins(session),
            Some((session, false)) => self.cancel_session(session), // nobody waits for what it still asks
            None => {}
        }
    }

    /// Notes the edits that a tool call reports, and looks for what they broke when the call is completed.
    fn tool_call_updated(&self, session: &str, update: &Value) {
        let (Some("tool_call" | "tool_call_update" | "tool_call_content_chunk"), Some(call)) =
            (update["sessionUpdate"].as_str(), update["toolCallId"].as_str())
        else {
            return;
        };
        let content = &update["content"]; // a chunk has one block
        let mut blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice).iter();
        if blocks.any(|it| it["type"] == "diff") {
            self.with_parents(session, |it| self.upstream.edits_reported(it, call));
        }
        if let Some("completed" | "failed" | "cancelled") = update["status"].as_str() {
            self.with_parents(session, |it| self.upstream.call_ends(it, call));
        }
        if let Some(attachment) = self.attachments.of(session).filter(|_| update["status"] == "completed") {
            self.tool.edits_are_made(session, &attachment);
        }
    }

    /// Notes something of a session, and of the sessions that started it: what a sub-agent edits, its parents edit
    /// through it.
    fn with_parents(&self, session: &str, note: impl Fn(&str)) {
        self.routing.sub_agents().with_parents(session).iter().for_each(|it| note(it));
    }

    /// Stops the turn of a session, with its running calls and its open question.
    pub(crate) fn cancel_session(&self, session: &str) {
        self.attachments.cancel_session(session);
        self.gate.turn_ends(session);
    }

    /// Stops a session and its sub-agents, since the user closes it. The agent may wait for their calls before it
    /// answers.
    pub(crate) fn close_begins(&self, session: &str) {
        let below = self.routing.sub_agents().below(session);
        below.iter().map(String::as_str).chain([session]).for_each(|it| self.cancel_session(it));
    }

    /// Ends a session, with its sub-agents.
    pub(crate) fn end_session(&self, session: &str) {
        let below = self.routing.session_ends(session);
        for one in below.iter().map(String::as_str).chain([session]) {
            self.attachments.end_session(one);
            self.gate.session_ends(one);
            self.tool.session_ends(one);
        }
    }

    /// Records that the editor has written a file for the agent of a session.
    pub(crate) fn has_written(&self, session: &str) {
        self.with_parents(session, |it| self.upstream.edits(it));
    }

    pub(crate) fn server(&self, attachment: Arc<Attachment>) -> McpServer {
        McpServer::new(Arc::clone(&self.tool), attachment)
    }

    /// Lets a server answer MCP clients without a session of ACP.
    pub(crate) fn serve(&self, standalone: &Standalone) {
        standalone.begin(Arc::clone(&self.tool), Arc::clone(&self.attachments), Arc::clone(&self.gate));
    }

    pub(crate) fn offers(&self, support: Support) {
        self.upstream.offers(support);
    }

    pub(crate) fn progress(&self, progress: Progress) {
        self.upstream.progress(progress);
    }

    /// Opens the endpoint that fits the agent's answer to `initialize`.
    pub(crate) async fn initialized(&self, initialized: &Value) {
        let version = protocol_version(initialized);
        self.gate.speaks(version);
        self.tool.label_values(rereads_json(initialized));
        self.tool.answer_failures_plainly(mistreats_failures(initialized));
        self.routing.trust(keeps_servers_apart(initialized));
        match self.endpoint(choose_transport(initialized)).await {
            Ok(endpoint) => {
                let takes_system_prompt = takes_system_prompt(initialized);
                *lock(&self.link) = Some(AgentLink { version, endpoint, takes_system_prompt });
            }
            Err(error) => tracing::error!(%error, "nothing can be bound on loopback: the agent gets no tool"),
        }
    }

    /// Returns the endpoint for a transport. A repeated `initialize` gets the one that is open.
    async fn endpoint(&self, transport: Transport) -> std::io::Result<Endpoint> {
        let open = lock(&self.link).map(|it| it.endpoint);
        let (attachments, tool) = (Arc::clone(&self.attachments), Arc::clone(&self.tool));
        match (transport, open) {
            (Transport::Native, _) => Ok(Endpoint::Native),
            (Transport::Http, Some(endpoint @ Endpoint::Http(_)))
            | (Transport::Stdio, Some(endpoint @ Endpoint::Stdio(_))) => Ok(endpoint),
            (Transport::Http, _) => http::listen(attachments, tool, self.closed()).await.map(Endpoint::Http),
            (Transport::Stdio, _) => {
                relay::listen(attachments, tool, self.closed()).await.map(Endpoint::Stdio)
            }
        }
    }

    /// Adds our server to a setup request. `None` when that cannot be done; the request is forwarded all the same.
    pub(crate) fn attach(&self, method: &str, params: &mut Value) -> Option<Arc<Attachment>> {
        let Some(link) = *lock(&self.link) else {
            tracing::warn!(method, "a session is set up before `initialize` was answered: it gets no tool");
            return None;
        };
        let name = lock(&self.names).choose(params, self.routing.trusts());
        let attachment = self.attachments.open(name, roots(params));
        if !attach_at(params, link, &attachment, &self.executable) {
            self.attachments.close(&attachment);
            return None;
        }
        if link.takes_system_prompt && self.adds_to_system_prompt {
            system_prompt::append(params, &introduction(&attachment.name));
        }
        if let ("session/load" | "session/resume", Some(session)) = (method, params["sessionId"].as_str()) {
            attachment.belongs_to(session); // the agent may call before it answers
            self.routing.sub_agents().restored(session);
        }
        self.tool.plugins().begin(&attachment);
        Some(attachment)
    }

    /// Completes a setup request with its result, or closes its server after an error. With `is_replayed` all
    /// updates before the result are history.
    pub(crate) fn set_up(&self, attachment: &Attachment, is_replayed: bool, result: Option<&Value>) {
        if let Some(session) = attachment.known_session().filter(|_| is_replayed) {
            self.routing.sub_agents().restored(&session);
        }
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

/// Returns the working directory, then the additional directories. They are made absolute, since some clients send
/// `.`.
fn roots(params: &Value) -> Vec<PathBuf> {
    let more = params["additionalDirectories"].as_array();
    let all = [&params["cwd"]].into_iter().chain(more.into_iter().flatten());
    let absolute = |it: &str| std::path::absolute(it).unwrap_or_else(|_| it.into());
    all.filter_map(Value::as_str).map(absolute).collect()
}

fn attach_at(
    params: &mut Value,
    link: AgentLink,
    attachment: &Attachment,
    executable: &std::path::Path,
) -> bool {
    let Attachment { server, name, secret, .. } = attachment;
    match link.endpoint {
        Endpoint::Native => attach(params, link.version, name, Address::Native { server }),
        Endpoint::Http(address) => {
            let url = http::url(address, attachment);
            attach(params, link.version, name, Address::Http { url: &url, secret })
        }
        Endpoint::Stdio(address) => {
            let value = relay::directions(address, attachment);
            let (argument, variable) = (relay::COMMAND, relay::VARIABLE);
            let address = Address::Stdio { executable, argument, variable, value: &value };
            attach(params, link.version, name, address)
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.closed.cancel();
        self.attachments.end();
    }
}
