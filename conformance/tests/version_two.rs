//! Each proxy by itself when version 2 of ACP is agreed upon. The conductor of the SDK is built for version 1, so
//! these tests are the conductor: they speak its envelope to the real programs.

use std::process::Stdio;

use anyhow::{Result, anyhow};
use conformance::record::Log;
use conformance::wire::{self, Incoming, Peer};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::UnboundedReceiver;

struct Proxy {
    peer: Peer,
    heard: UnboundedReceiver<Incoming>,
    _process: Child,
}

impl Proxy {
    fn start(program: &str) -> Result<Self> {
        let mut process =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
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

fn initialize() -> Value {
    json!({"protocolVersion": 2, "capabilities": {"_meta": {"mine": 1}}, "info": {"name": "editor", "version": "0"}})
}

fn initialized(transports: Value) -> Value {
    json!({"protocolVersion": 2, "info": {"name": "agent", "version": "0"}, "capabilities": {"session": {"mcp": transports}}})
}

#[tokio::test]
async fn the_adapter_writes_the_capability_where_version_2_has_it() -> Result<()> {
    let mut adapter = Proxy::start(env!("CARGO_BIN_EXE_adapter-under-test"))?;
    let answer = initialized(json!({"stdio": {}}));
    let (asked, back) = adapter.through("proxy/initialize", initialize(), answer.clone()).await?;
    assert_eq!(asked["method"], "initialize");
    let params = &asked["params"];
    assert_eq!(params["protocolVersion"], 2);
    assert_eq!(params["capabilities"]["_meta"]["ide_operations"]["version"], 1, "{params}");
    assert_eq!(params["capabilities"]["_meta"]["mine"], 1, "{params}");
    assert_eq!(params.get("clientCapabilities"), None, "{params}");
    assert_eq!(back, answer);
    Ok(())
}

#[tokio::test]
async fn the_component_reads_the_transports_where_version_2_has_them() -> Result<()> {
    let cases = [
        (json!({"stdio": {}, "http": {}, "acp": {}}), "acp"),
        (json!({"stdio": {}, "http": {}}), "http"),
        (json!({"stdio": {}}), "stdio"),
    ];
    for (transports, expected) in cases {
        let mut component = Proxy::start(env!("CARGO_BIN_EXE_component-under-test"))?;
        let answer = initialized(transports);
        let (asked, back) = component.through("proxy/initialize", initialize(), answer.clone()).await?;
        assert_eq!((&asked["params"], &back), (&initialize(), &answer), "nothing is changed");
        let session = json!({"sessionId": "s"});
        // Version 2 makes `mcpServers` optional.
        let (asked, back) = component.through("session/new", json!({"cwd": "/"}), session.clone()).await?;
        let servers = asked["params"]["mcpServers"].as_array().cloned().unwrap_or_default();
        assert_eq!(servers.len(), 1, "{asked}");
        assert_eq!(servers[0]["type"], expected, "{asked}");
        assert_eq!(back, session);
    }
    Ok(())
}
