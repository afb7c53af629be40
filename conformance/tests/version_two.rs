//! Each proxy by itself when version 2 of ACP is agreed upon: these tests are the conductor, and speak its envelope
//! to the real programs. What the proxies write is read as the SDK's schema has it.
//! `suites/capability/version-two.md` has the whole chain.

use std::process::Stdio;

use agent_client_protocol::v2::schema::{
    InitializeRequest, McpServer, NewSessionRequest, RequestPermissionRequest, RequestPermissionSubject,
    SessionUpdate, ToolCallContent, UpdateSessionNotification,
};
use anyhow::{Context, Result, anyhow};
use conformance::record::Log;
use conformance::wire::{self, Incoming, Peer};
use libtest_mimic::Trial;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::UnboundedReceiver;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        the_adapter_writes_the_capability_where_version_2_has_it,
        the_component_reads_the_transports_where_version_2_has_them,
        the_component_asks_for_permission_as_version_2_does,
    ]
}

struct Proxy {
    peer: Peer,
    heard: UnboundedReceiver<Incoming>,
    _process: Child,
}

impl Proxy {
    /// Starts `dialect adapter` or `dialect component`.
    fn start(proxy: &str) -> Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dialect-under-test"));
        command.arg(proxy);
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Result<Self> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let (read, write) =
            process.stdout.take().zip(process.stdin.take()).ok_or_else(|| anyhow!("no pipes"))?;
        let (peer, heard) = wire::open(read, write, Log::Nowhere);
        Ok(Self { peer, heard, _process: process })
    }

    /// Sends a request from upstream, lets the successor answer it, and gives what the successor was asked and what
    /// came back upstream.
    async fn through(&mut self, method: &str, params: Value, answer: Value) -> Result<(Value, Value)> {
        let call = self.peer.request(method, params);
        let asked = match self.heard.recv().await {
            Some(Incoming::Request { id, method, params: Some(params) }) if method == "proxy/successor" => {
                self.peer.respond(&id, &Ok(answer));
                params
            }
            other => return Err(anyhow!("not asked of the successor: {other:?}")),
        };
        let back = call.answer().await.map_err(|error| anyhow!("{method}: {error}"))?;
        Ok((asked, back))
    }
}

/// Reads what a proxy wrote as the schema has it.
fn read<T: DeserializeOwned>(written: &Value) -> Result<T> {
    serde_json::from_value(written.clone()).with_context(|| written.to_string())
}

fn initialize() -> Value {
    json!({"protocolVersion": 2, "capabilities": {"_meta": {"mine": 1}}, "info": {"name": "editor", "version": "0"}})
}

fn initialized(transports: Value) -> Value {
    json!({"protocolVersion": 2, "info": {"name": "agent", "version": "0"}, "capabilities": {"session": {"mcp": transports}}})
}

async fn the_adapter_writes_the_capability_where_version_2_has_it() -> Result<()> {
    let mut adapter = Proxy::start("adapter")?;
    let answer = initialized(json!({"stdio": {}}));
    let (asked, back) = adapter.through("proxy/initialize", initialize(), answer.clone()).await?;
    assert_eq!(asked["method"], "initialize");
    let params = &asked["params"];
    assert_eq!(params["protocolVersion"], 2);
    assert_eq!(params["capabilities"]["_meta"]["ide_operations"]["version"], 1, "{params}");
    assert_eq!(params["capabilities"]["_meta"]["mine"], 1, "{params}");
    assert_eq!(params.get("clientCapabilities"), None, "{params}");
    let read: InitializeRequest = read(params)?;
    assert!(read.capabilities.meta.is_some_and(|it| it.contains_key("ide_operations")), "{params}");
    assert_eq!(back, answer);
    Ok(())
}

async fn the_component_reads_the_transports_where_version_2_has_them() -> Result<()> {
    let cases = [
        (json!({"stdio": {}, "http": {}, "acp": {}}), "acp"),
        (json!({"stdio": {}, "http": {}}), "http"),
        (json!({"stdio": {}}), "stdio"),
    ];
    for (transports, expected) in cases {
        let mut component = Proxy::start("component")?;
        let answer = initialized(transports);
        let (asked, back) = component.through("proxy/initialize", initialize(), answer.clone()).await?;
        assert_eq!((&asked["params"], &back), (&initialize(), &answer), "nothing is changed");
        let session = json!({"sessionId": "s"});
        // Version 2 makes `mcpServers` optional.
        let (asked, back) = component.through("session/new", json!({"cwd": "/"}), session.clone()).await?;
        let servers = asked["params"]["mcpServers"].as_array().cloned().unwrap_or_default();
        assert_eq!(servers.len(), 1, "{asked}");
        assert_eq!(servers[0]["type"], expected, "{asked}");
        let read: NewSessionRequest = read(&asked["params"])?;
        let is_known =
            matches!(read.mcp_servers[..], [McpServer::Acp(_) | McpServer::Http(_) | McpServer::Stdio(_)]);
        assert!(is_known, "{asked}");
        assert_eq!(back, session);
    }
    Ok(())
}

async fn the_component_asks_for_permission_as_version_2_does() -> Result<()> {
    let state = tempfile::tempdir()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_component-with-notes"));
    command.env("XDG_STATE_HOME", state.path()).env(conformance::notes::VARIABLE, state.path().join("notes"));
    let mut component = Proxy::spawn(command)?;
    component.through("proxy/initialize", initialize(), initialized(json!({"acp": {}}))).await?;
    let session = json!({"sessionId": "s"});
    let (asked, _) = component.through("session/new", json!({"cwd": state.path()}), session).await?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    });
    let arguments = json!({"program": "writeNote(`a`, `one`)"});
    let call = json!({
        "serverId": asked["params"]["mcpServers"][0]["serverId"], "requestId": "1", "method": "tools/call",
        "params": {"name": "ide_operation", "arguments": arguments, "_meta": meta},
    });
    let call = component.peer.request("proxy/successor", json!({"method": "mcp/message", "params": call}));
    let mut updates = Vec::new();
    let (id, question) = loop {
        match component.heard.recv().await {
            Some(Incoming::Request { id, method, params: Some(params) })
                if method == "session/request_permission" =>
            {
                break (id, params);
            }
            Some(Incoming::Notification { params: Some(params), .. }) => updates.push(params),
            other => return Err(anyhow!("not asked for permission: {other:?}")),
        }
    };
    let title = r#"writeNote (from "note-tools"): "Write notes into your workspace""#;
    assert_eq!((&question["title"], &question["sessionId"]), (&json!(title), &json!("s")));
    assert_eq!(question["subject"]["type"], "tool_call");
    let tool_call = &question["subject"]["toolCall"];
    assert_eq!((&tool_call["rawInput"], &tool_call["kind"]), (&arguments, &json!("edit")));
    assert_eq!(updates[0]["update"]["sessionUpdate"], "tool_call_update");
    assert_eq!(updates[0]["update"]["toolCallId"], tool_call["toolCallId"]);
    let asked: RequestPermissionRequest = read(&question)?;
    assert!(matches!(asked.subject, Some(RequestPermissionSubject::ToolCall(_))), "{question}");
    for update in &updates {
        let read: UpdateSessionNotification = read(update)?;
        let SessionUpdate::ToolCallUpdate(call) = read.update else { return Err(anyhow!("{update}")) };
        let content = call.content.take().unwrap_or_default();
        assert!(!content.iter().any(|it| matches!(it, ToolCallContent::Other(_))), "{update}");
    }
    component.peer.respond(&id, &Ok(json!({"outcome": {"outcome": "selected", "optionId": "ailang.once"}})));
    let answer = call.answer().await.map_err(|error| anyhow!("{error}"))?;
    assert_eq!(answer["result"]["content"][0]["text"], r#""wrote 3 bytes""#, "{answer}");
    Ok(())
}
