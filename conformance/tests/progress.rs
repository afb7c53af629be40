//! A language server that indexes for long: whoever asked hears how far it is, over every transport, and the user sees
//! it in the editor.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use conformance::chain::{Setup, Shape, start};
use conformance::control::Control;
use conformance::editor::{Answers, Editor};
use conformance::record::{self, Entry, Log, Record, Way};
use conformance::scenario::server_command;
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use serde_json::{Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        over_acp,
        over_http,
        over_a_relay,
        a_wait_that_is_cancelled_is_taken_away,
        an_answer_that_streams_ends_when_its_call_is_cancelled,
        a_short_wait_is_told_to_the_agent_alone,
    ]
}

const LIMIT: Duration = Duration::from_secs(120);

/// The server's progress report while it indexes, and its form in the chain.
const SAYS: &str = "progress 25 indexing 12/48";
const HEARD: &str = "rust-analyzer: indexing 12/48 (25 %)";

/// A question that waits for a server which does not get ready before it is told.
struct Waiting {
    record: Arc<Record>,
    control: Control,
    editor: Editor,
    chain: conformance::chain::Chain,
    _workspace: Workspace,
}

async fn waiting(mcp: &str, patience: Duration) -> Result<Waiting> {
    waiting_for(&["--mcp", mcp, "--progress", "yes"], patience).await
}

async fn waiting_for(agent: &[&str], patience: Duration) -> Result<Waiting> {
    let files = [("Cargo.toml", "[package]\nname = \"small\"\n"), ("src/lib.rs", "pub fn one() {}\n")];
    let (workspace, control) = (Workspace::new(files)?, Control::listen()?);
    let record = Arc::new(Record::default());
    let programs = crate::programs()?;
    let mut setup = Setup::new(Shape::InProcess, programs.clone());
    setup.agent = agent.iter().map(|it| (*it).to_owned()).collect();
    setup.patience = Some(patience);
    let (told, heard) = (control.address.to_string(), record::listen(&record)?.to_string());
    setup.server = Some(server_command(&programs, &json!({"ready": "when told"}), &heard, &told));
    let mut chain = start(&setup)?;
    let (read, write) = chain.read.take().zip(chain.write.take()).ok_or_else(|| anyhow!("no streams"))?;
    let log = Log::Here { player: "editor", record: Arc::clone(&record) };
    let mut editor = Editor::open(read, write, Answers::default(), log);
    editor.initialize(1, &json!({})).await?;
    editor.set_up("session/new", "A", json!({"cwd": workspace.root(), "mcpServers": []})).await?;
    editor.prompt("A", "call diagnostics(`src/lib.rs`)")?;
    let is_loading = |_: usize, it: &Entry| it.player == "server" && it.method() == "initialized";
    record.wait("the server to load", LIMIT, is_loading).await?;
    Ok(Waiting { record, control, editor, chain, _workspace: workspace })
}

impl Waiting {
    /// Waits for a message to the editor whose params hold that.
    async fn hears(&self, method: &str, is_it: impl Fn(&Value) -> bool) -> Result<Value> {
        let wanted = |_: usize, it: &Entry| {
            it.player == "editor"
                && it.way == Way::Heard
                && it.method() == method
                && is_it(&it.message["params"])
        };
        let at = self.record.wait(method, LIMIT, wanted).await?;
        Ok(self.record.entries()[at].message["params"].clone())
    }

    /// The entry in the editor's list of what is going on, once it has that title.
    async fn sees(&self, title: &str) -> Result<Value> {
        let params = self.hears("session/update", |it| {
            it["update"]["title"].as_str().is_some_and(|it| it.starts_with(title))
        });
        Ok(params.await?["update"].clone())
    }

    async fn end(self) -> Result<()> {
        let Self { mut editor, chain, .. } = self;
        tokio::time::timeout(LIMIT, editor.turn("A")).await??.map_err(|error| anyhow!("{error}"))?;
        editor.peer().close();
        chain.ended().await
    }
}

/// The kinds of updates about the wait, in order, each once.
fn kinds(record: &Record) -> Vec<String> {
    let entries = record.entries();
    let heard = entries.iter().filter(|it| it.player == "editor" && it.way == Way::Heard);
    let updates = heard.map(|it| &it.message["params"]["update"]);
    let ours =
        updates.filter(|it| it["toolCallId"].as_str().is_some_and(|it| it.starts_with("dialect-loading-")));
    let mut kinds: Vec<_> =
        ours.map(|it| it["sessionUpdate"].as_str().unwrap_or_default().to_owned()).collect();
    kinds.dedup();
    kinds
}

/// The whole way: it is told to the agent, shown to the user, and taken away when the answer comes.
async fn both_hear(mcp: &str) -> Result<()> {
    let waiting = waiting(mcp, Duration::ZERO).await?;
    waiting.control.tell(SAYS, LIMIT)?;
    let progress = waiting.hears("_mock/progress", |it| it["message"] == HEARD).await?;
    assert!(progress["progress"].as_f64().is_some_and(|it| it >= 1.0), "{progress}");
    let shown = waiting.sees(HEARD).await?;
    waiting.control.tell("ready", LIMIT)?;
    let over = waiting.sees("Waited ").await?;
    assert_eq!((&over["status"], &over["toolCallId"]), (&json!("completed"), &shown["toolCallId"]));
    assert_eq!(kinds(&waiting.record), ["tool_call", "tool_call_update"]);
    waiting.end().await
}

async fn over_acp() -> Result<()> {
    both_hear("acp").await
}

async fn over_http() -> Result<()> {
    both_hear("http").await
}

async fn over_a_relay() -> Result<()> {
    both_hear("none").await
}

async fn a_wait_that_is_cancelled_is_taken_away() -> Result<()> {
    let waiting = waiting("acp", Duration::ZERO).await?;
    waiting.control.tell(SAYS, LIMIT)?;
    waiting.sees(HEARD).await?;
    let session = waiting.editor.session("A")?.to_owned();
    waiting.editor.peer().notify("session/cancel", json!({"sessionId": session}));
    assert_eq!(waiting.sees("Waited ").await?["status"], "completed");
    waiting.end().await
}

/// Progress has begun a stream of events, so that no status can say that nothing follows.
async fn an_answer_that_streams_ends_when_its_call_is_cancelled() -> Result<()> {
    let agent = ["--mcp", "http", "--progress", "yes", "--posts", "kept"];
    let mut waiting = waiting_for(&agent, Duration::ZERO).await?;
    waiting.control.tell(SAYS, LIMIT)?;
    waiting.hears("_mock/progress", |it| it["message"] == HEARD).await?;
    let session = waiting.editor.session("A")?.to_owned();
    waiting.editor.peer().notify("session/cancel", json!({"sessionId": session}));
    tokio::time::timeout(LIMIT, waiting.editor.turn("A")).await??.map_err(|error| anyhow!("{error}"))?;
    waiting.editor.prompt("A", "call 6 * 7")?;
    let said = |it: &Value| it["update"]["sessionUpdate"] == "agent_message_chunk";
    let answer = waiting.hears("session/update", said).await?;
    assert_eq!(answer["update"]["content"]["text"], "42", "the tool is still there");
    waiting.end().await
}

async fn a_short_wait_is_told_to_the_agent_alone() -> Result<()> {
    let waiting = waiting("acp", Duration::from_secs(3600)).await?;
    waiting.control.tell(SAYS, LIMIT)?;
    waiting.hears("_mock/progress", |it| it["message"] == HEARD).await?;
    waiting.control.tell("ready", LIMIT)?;
    let record = Arc::clone(&waiting.record);
    waiting.end().await?;
    assert_eq!(kinds(&record), Vec::<String>::new());
    Ok(())
}
