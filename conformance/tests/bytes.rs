//! Bytes that are no messages, between messages: every message arrives and is answered, nobody ends, and whoever waits
//! because of a broken line is told.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use conformance::agent::to_hex;
use conformance::chain::{Chain, Setup, Shape, start};
use conformance::editor::{Answers, Editor};
use conformance::hostile_lines::{Fate, Hostile, Lines};
use conformance::record::Log;
use conformance::wire::{self, Call, Incoming, Peer};
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::LIMIT;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        a_line_over_the_limit_is_answered_and_the_next_one_too,
        messages_between_hostile_lines_arrive_both_ways,
        the_adapter_alone_outlives_hostile_lines,
        the_component_alone_outlives_hostile_lines,
        a_line_that_is_not_utf_8_is_answered_and_the_next_one_too,
        a_response_that_cannot_be_read_is_an_error_for_whoever_asked,
        half_a_surrogate_pair_passes_as_it_came,
    ]
}

/// The usual length of the fuzzing loops in seconds.
const SECONDS: u64 = 2;

/// A fused chain with a session.
struct Fused {
    chain: Chain,
    editor: Editor,
    _workspace: Workspace,
    _shims: tempfile::TempDir,
}

impl Fused {
    async fn open() -> Result<Self> {
        let workspace = Workspace::new([("src/lib.rs", "pub fn one() {}\n")])?;
        let mut setup = Setup::new(Shape::Fused, crate::programs()?);
        let shims = setup.shim(None)?;
        let mut chain = start(&setup)?;
        let (read, write) = chain.read.take().zip(chain.write.take()).ok_or_else(|| anyhow!("no streams"))?;
        let mut editor =
            Editor::open(read, write, Answers::parse("_mock/ask {\"is\":\"answered\"}")?, Log::Nowhere);
        editor.initialize(1, &json!({})).await?;
        editor.set_up("session/new", "A", json!({"cwd": workspace.root(), "mcpServers": []})).await?;
        Ok(Self { chain, editor, _workspace: workspace, _shims: shims })
    }

    /// A message to the agent and back.
    async fn echo(&self, value: &Value) -> Result<()> {
        let answer = within(self.editor.ask("_mock/echo", value.clone())).await??;
        ensure!(&answer == value, "{value} came back as {answer}");
        Ok(())
    }

    async fn end(self) -> Result<()> {
        self.editor.peer().close();
        self.chain.ended().await
    }
}

async fn within<T>(what: impl Future<Output = T>) -> Result<T> {
    timeout(LIMIT, what).await.map_err(|_| anyhow!("nothing happened within {LIMIT:?}"))
}

/// The code and text of the error that a raw line is answered with.
async fn refusal(call: Call) -> Result<(i64, String)> {
    match within(call.answer()).await? {
        Ok(result) => bail!("it was answered with {result}"),
        Err(error) => Ok((error["code"].as_i64().unwrap_or(0), error.to_string())),
    }
}

async fn a_line_that_is_not_utf_8_is_answered_and_the_next_one_too() -> Result<()> {
    let fused = Fused::open().await?;
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":900,\"method\":\"_mock/echo\",\"params\":{\"t\":\"\xff\"}}";
    let (code, text) = refusal(fused.editor.peer().raw_request(900, line.as_slice())).await?;
    assert_eq!(code, -32700, "{text}");
    assert!(text.contains("0xff, is not UTF-8"), "{text}");
    fused.echo(&json!({"after": 1})).await?;
    fused.end().await
}

async fn a_response_that_cannot_be_read_is_an_error_for_whoever_asked() -> Result<()> {
    let fused = Fused::open().await?;
    let call = fused.editor.peer().request("_mock/broken", json!({}));
    let (code, text) = refusal(call).await?;
    assert!(code == -32700 && text.contains("UTF-8"), "{text}");
    fused.echo(&json!({"after": 1})).await?;
    fused.end().await
}

async fn half_a_surrogate_pair_passes_as_it_came() -> Result<()> {
    let mut fused = Fused::open().await?;
    let line = r#"{"jsonrpc":"2.0","method":"_mock/half","params":{"text":"a\ud83d"}}"#;
    within(fused.editor.whole_turn("A", &format!("line {line}\nsay after"))).await??;
    assert_eq!(fused.editor.soiled(), [line], "the mock editor cannot read it, but it arrived");
    let echo = r#"{"jsonrpc":"2.0","id":901,"method":"_mock/echo","params":{"text":"\ude00"}}"#;
    let _unread = fused.editor.peer().raw_request(901, echo); // the mock agent cannot read it either
    fused.echo(&json!({"after": 1})).await?;
    fused.end().await
}

async fn a_line_over_the_limit_is_answered_and_the_next_one_too() -> Result<()> {
    let fused = Fused::open().await?;
    let letters = "x".repeat(65 * 1024 * 1024);
    let line = format!(r#"{{"jsonrpc":"2.0","method":"_mock/echo","params":{{"t":"{letters}"}},"id":902}}"#);
    let (code, text) = refusal(fused.editor.peer().raw_request(902, line)).await?;
    assert!(code == -32600 && text.contains("at most 67108864 are read"), "{text}");
    fused.echo(&json!({"after": 1})).await?;
    fused.end().await
}

/// Seconds and seed, from the environment.
fn drawn() -> (Duration, Lines) {
    let number = |name| std::env::var(name).ok().and_then(|it| it.parse().ok());
    let seconds = number("DIALECT_FUZZ_SECONDS").unwrap_or(SECONDS);
    (Duration::from_secs(seconds), Lines::new(number("DIALECT_FUZZ_SEED").unwrap_or(7)))
}

/// Writes lines, and gives those calls that have to be refused.
fn throw(peer: &Peer, lines: Vec<Hostile>) -> Vec<Call> {
    let mut calls = Vec::new();
    for Hostile { bytes, fate } in lines {
        match fate {
            Fate::Refused(id) => calls.push(peer.raw_request(id, bytes)),
            Fate::Passes | Fate::Anything => peer.raw(bytes),
        }
    }
    calls
}

async fn messages_between_hostile_lines_arrive_both_ways() -> Result<()> {
    let ((length, mut lines), began) = (drawn(), Instant::now());
    let mut fused = Fused::open().await?;
    let (mut n_rounds, mut n_lines, mut n_halves) = (0, 0, 0);
    while began.elapsed() < length {
        n_rounds += 1;
        let round = async {
            let (mut refused, mut script, mut said) = (Vec::new(), String::new(), 0);
            // What the agent writes, while the editor writes too.
            for n in 0..4 {
                for Hostile { bytes, fate } in lines.some() {
                    n_lines += 1;
                    match fate {
                        Fate::Refused(id) => {
                            script += &format!("broken {id} {}\n", to_hex(&bytes));
                            said += 1;
                        }
                        Fate::Passes | Fate::Anything => {
                            n_halves += usize::from(fate == Fate::Passes);
                            script += &format!("bytes {}\n", to_hex(&bytes));
                        }
                    }
                }
                script += &format!("request _mock/ask {{\"n\":{n}}}\n");
                said += 1;
            }
            script += "call 1 + 1\n";
            fused.editor.prompt("A", &script)?;
            for n in 0..4 {
                let hostile = lines.some();
                n_lines += hostile.len();
                refused.extend(throw(fused.editor.peer(), hostile));
                fused.echo(&json!({"round": n_rounds, "n": n, "text": "äöü😀"})).await?;
            }
            let turn = within(fused.editor.turn("A")).await??;
            let ended = turn.map_err(|error| anyhow!("the turn: {error}"))?;
            ensure!(ended["stopReason"] == "end_turn", "{ended}");
            for call in refused {
                refusal(call).await?;
            }
            Ok::<_, anyhow::Error>(said)
        };
        let round = round.await;
        round.with_context(|| format!("round {n_rounds}; {}", fused.chain.run.last_words()))?;
    }
    let soiled = fused.editor.soiled();
    let others: Vec<_> = soiled.iter().filter(|it| !it.contains("_fuzz/half")).collect();
    assert!(others.is_empty(), "the agent's junk reached the editor: {others:?}");
    assert_eq!(soiled.len(), n_halves, "halves of surrogate pairs were lost");
    eprintln!("fused: {n_rounds} rounds with {n_lines} hostile lines, {n_halves} halves passed");
    fused.end().await
}

/// A proxy alone, and the test as its conductor.
struct Proxy {
    child: Child,
    peer: Peer,
    heard: mpsc::UnboundedReceiver<Incoming>,
}

impl Proxy {
    /// Starts `dialect adapter` or `dialect component`.
    async fn open(proxy: &str) -> Result<Self> {
        let mut command = Command::new(crate::programs()?.path("dialect-under-test"));
        command.arg(proxy);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let (read, write) = child.stdout.take().zip(child.stdin.take()).ok_or_else(|| anyhow!("no pipes"))?;
        let (peer, heard) = wire::open(read, write, Log::Nowhere);
        let mut proxy = Self { child, peer, heard };
        let initialize = json!({"protocolVersion": 1, "clientCapabilities": {}});
        let call = proxy.peer.request("proxy/initialize", initialize);
        proxy.succeed(&json!({"protocolVersion": 1, "agentCapabilities": {}})).await?;
        within(call.answer()).await?.map_err(|error| anyhow!("proxy/initialize: {error}"))?;
        Ok(proxy)
    }

    /// Answers the next request that the proxy sends on, and gives its params.
    async fn succeed(&mut self, result: &Value) -> Result<Value> {
        loop {
            match within(self.heard.recv()).await?.ok_or_else(|| anyhow!("the proxy ended"))? {
                Incoming::Request { id, method, params } if method == "proxy/successor" => {
                    self.peer.respond(&id, &Ok(result.clone()));
                    return Ok(params.unwrap_or_default()["params"].take());
                }
                Incoming::Request { id, .. } => self.peer.refuse(&id, -32601, "not here"),
                Incoming::Notification { .. } | Incoming::Junk(_) => {}
            }
        }
    }

    async fn echo(&mut self, value: &Value) -> Result<()> {
        let call = self.peer.request("_mock/echo", value.clone());
        let passed = self.succeed(&json!({"back": value})).await?;
        let answer = within(call.answer()).await?.map_err(|error| anyhow!("the echo: {error}"))?;
        ensure!(&passed == value && &answer["back"] == value, "{value} became {passed} and {answer}");
        Ok(())
    }
}

async fn alone(proxy: &str) -> Result<()> {
    let ((length, mut lines), began) = (drawn(), Instant::now());
    let mut process = Proxy::open(proxy).await?;
    let (mut n_rounds, mut n_lines) = (0, 0);
    while began.elapsed() < length / 2 {
        n_rounds += 1;
        let hostile = lines.some();
        n_lines += hostile.len();
        let refused = throw(&process.peer, hostile);
        process.echo(&json!({"round": n_rounds})).await.with_context(|| format!("round {n_rounds}"))?;
        for call in refused {
            refusal(call).await?;
        }
    }
    eprintln!("{proxy}: {n_rounds} rounds with {n_lines} hostile lines");
    process.peer.close();
    let ended = within(process.child.wait()).await??;
    ensure!(ended.success(), "{proxy} ended with {ended}");
    Ok(())
}

async fn the_adapter_alone_outlives_hostile_lines() -> Result<()> {
    alone("adapter").await
}

async fn the_component_alone_outlives_hostile_lines() -> Result<()> {
    alone("component").await
}
