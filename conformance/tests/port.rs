//! The loopback port of the component, where others hold places without the token and files are few.

use anyhow::{Result, anyhow};
use conformance::chain::{Setup, Shape};
use conformance::conversation::Conversation;
use conformance::editor::Answers;
use conformance::processes::Process;
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};
use tokio::net::TcpStream;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        calls_go_on_while_idle_connections_take_every_descriptor,
        many_calls_at_once_leave_few_threads,
        a_page_of_another_origin_is_refused_although_it_has_the_token,
    ]
}

/// The number of files that the chain may open, and of connections that want to be among them.
const FILES: u64 = 256;
const IDLE: usize = 366;

async fn open(workspace: &Workspace) -> Result<(Conversation, tempfile::TempDir)> {
    let mut setup = Setup::new(Shape::Fused, crate::programs()?);
    let shims = setup.shim(None)?;
    Ok((Conversation::open(&setup, workspace.root(), &json!({}), Answers::default()).await?, shims))
}

/// Returns the address of the session's MCP server.
async fn authority(chain: &mut Conversation) -> Result<String> {
    let said = chain.play("servers").await?.concat();
    let servers: Value = serde_json::from_str(&said)?;
    let url = servers[0]["url"].as_str().and_then(|it| it.strip_prefix("http://")?.split('/').next());
    url.map(str::to_owned).ok_or_else(|| anyhow!("no URL: {said}"))
}

fn itself(chain: &Conversation) -> Result<Process> {
    let living = chain.run().living();
    let found = living.into_iter().find(|it| it.command.contains("dialect-under-test agent"));
    found.ok_or_else(|| anyhow!("there is no chain"))
}

async fn calls_go_on_while_idle_connections_take_every_descriptor() -> Result<()> {
    let workspace = Workspace::new([("src/lib.rs", "pub fn one() {}\n")])?;
    let (mut chain, _shims) = open(&workspace).await?;
    let authority = authority(&mut chain).await?;
    let process = itself(&chain)?;
    let few = Rlimit { current: Some(FILES), maximum: Some(FILES) };
    prlimit(Pid::from_raw(process.id), Resource::Nofile, few)?;
    let mut idle = Vec::new();
    for _ in 0..IDLE {
        idle.push(TcpStream::connect(&authority).await?);
    }
    for _ in 0..5 {
        assert_eq!(chain.call("1 + 1").await?.text, "2");
    }
    let holding = process.holding();
    assert!(holding.descriptors < FILES, "{holding:?}");
    drop(idle);
    chain.end().await
}

async fn many_calls_at_once_leave_few_threads() -> Result<()> {
    let workspace = Workspace::new([("src/lib.rs", "pub fn one() {}\n")])?;
    let (mut chain, _shims) = open(&workspace).await?;
    let process = itself(&chain)?;
    let calls = "call search(`src`, `one`)\n".repeat(400);
    let said = chain.play(&format!("together\n{calls}")).await?;
    assert_eq!(said.len(), 400);
    assert!(said.iter().all(|it| it.contains("src/lib.rs:1:8-11")), "{:?}", said.first());
    let holding = process.holding();
    assert!(holding.threads < 64, "{holding:?}");
    chain.end().await
}

async fn a_page_of_another_origin_is_refused_although_it_has_the_token() -> Result<()> {
    let workspace = Workspace::new([("src/lib.rs", "")])?;
    let (mut chain, _shims) = open(&workspace).await?;
    let own = authority(&mut chain).await?;
    let mut ask = async |origin: &str| {
        let headers =
            "authorization={token} content-type=application/json accept=application/json,text/event-stream";
        chain.play(format!("http POST {{path}} {headers} {origin}").trim_end()).await.map(|it| it.concat())
    };
    let without = ask("").await?;
    assert_ne!(without, "HTTP 403");
    assert_eq!(ask("origin=http://evil.example").await?, "HTTP 403");
    assert_eq!(ask("origin=null").await?, "HTTP 403");
    assert_eq!(ask(&format!("origin=http://{own}")).await?, without);
    chain.end().await
}
