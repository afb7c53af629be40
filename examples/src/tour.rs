//! A conversation without an editor and without a model. A mock editor, the real chain, a mock agent and, where
//! it is installed, the real rust-analyzer talk about this very repository, and what they say is printed.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use agent_client_protocol::ByteStreams;
use anyhow::{Context, Result, anyhow};
use conformance::agent;
use conformance::editor::{Answers, Editor};
use conformance::record::{Entry, Log, Record, Way};
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, DuplexStream, duplex, split};
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

/// Lines of an answer that are shown; the agent reads all of them.
const SHOWN: usize = 12;

/// What the agent wants to know, and the program that it sends.
const QUESTIONS: [(&str, &str); 9] = [
    ("Which lines mention it?", "brief(search(`shared/dialect/src`, `enum Outcome`))"),
    ("What do these lines say?", "lines(`shared/ide-protocol/src/lib.rs`, 1, 4)"),
    ("Where is it defined?", "findDefinition(`Outcome`)"),
    ("Show me the code.", "source(findDefinition(`Outcome`))"),
    ("Where is it used?", "brief(findReferences(findDefinition(`Outcome`)))"),
    ("A name with several meanings: which one?", "findReferences(`Config`)"),
    ("A name that does not exist.", "findDefinition(`Outcom`)"),
    ("A function that does not exist.", "findReferenses(`Outcome`)"),
    ("A bracket, a quote and a path forgotten.", "brief(search(`shared`, `Outcome`)"),
];

fn main() -> ExitCode {
    // The chain starts its own executable again above each language server, and here that is this one.
    if std::env::args_os().len() > 1 {
        return cli::main();
    }
    let runtime = tokio::runtime::Runtime::new().expect("the tour needs threads");
    match runtime.block_on(tour()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the tour ended early: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn tour() -> Result<()> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let record = Arc::new(Record::default());
    let (mut editor, chain) = start(&record)?;

    say("editor ⇄ adapter ⇄ component ⇄ agent\n").await?;
    editor.initialize(1, &json!({})).await?;
    say("editor → initialize    it offers no `ide_operations`, so language servers will answer").await?;
    editor.set_up("session/new", "tour", json!({"cwd": workspace, "mcpServers": []})).await?;
    say("editor → session/new   in this repository").await?;
    let description = ask(&mut editor, &record, "describe").await?;
    say(&format!("agent  ← {}", opening(&description))).await?;

    for (number, (question, program)) in (1..).zip(QUESTIONS) {
        say(&format!("\n{number}. {question}\n   {program}")).await?;
        let began = Instant::now();
        let answer = ask(&mut editor, &record, &format!("call {program}")).await?;
        say(&shown(&answer)).await?;
        say(&format!("   ({} bytes, {:.1} s)", answer.len(), began.elapsed().as_secs_f64())).await?;
    }

    editor.peer().close();
    drop(editor);
    chain.await.context("the chain")?
}

/// The chain between the two players, all in this process.
fn start(record: &Arc<Record>) -> Result<(Editor, tokio::task::JoinHandle<Result<()>>)> {
    let (editor, client) = duplex(64 * 1024);
    let (server, agent) = duplex(64 * 1024);
    let config = cli::Chain::new(std::env::current_exe()?);
    let chain = tokio::spawn(async move {
        let ended = cli::chain(config, streams(client), streams(server)).await;
        ended.map_err(|error| anyhow!("{error}"))
    });
    let log = |player| Log::Here { player, record: Arc::clone(record) };
    let (read, write) = split(agent);
    tokio::spawn(agent::run(agent::Config::default(), read, write, Log::Nowhere));
    let (read, write) = split(editor);
    Ok((Editor::open(read, write, Answers::default(), log("editor")), chain))
}

fn streams(
    stream: DuplexStream,
) -> ByteStreams<
    tokio_util::compat::Compat<tokio::io::WriteHalf<DuplexStream>>,
    tokio_util::compat::Compat<tokio::io::ReadHalf<DuplexStream>>,
> {
    let (read, write) = split(stream);
    ByteStreams::new(write.compat_write(), read.compat())
}

/// One turn; what the agent said in it.
async fn ask(editor: &mut Editor, record: &Record, command: &str) -> Result<String> {
    let before = record.len();
    editor.whole_turn("tour", command).await?;
    let said: Vec<String> = record.entries()[before..].iter().filter_map(chunk).collect();
    Ok(said.join("\n"))
}

fn chunk(entry: &Entry) -> Option<String> {
    let update = &entry.message["params"]["update"];
    let is_chunk = entry.way == Way::Heard && update["sessionUpdate"] == "agent_message_chunk";
    is_chunk.then(|| update["content"]["text"].as_str().map(str::to_owned))?
}

fn opening(description: &str) -> String {
    let first = description.lines().next().unwrap_or_default();
    format!("the tool `ide_operation`, described in {} bytes:\n         {first}", description.len())
}

/// What the mock agent says between the blocks of an answer.
const BETWEEN_BLOCKS: &str = "\n---\n";

/// The first lines of an answer, as a person reads them, and all of the note about it.
fn shown(answer: &str) -> String {
    let mut blocks = answer.split(BETWEEN_BLOCKS);
    let value = excerpt(blocks.next().unwrap_or_default());
    let notes = blocks.flat_map(str::lines).map(|line| format!("   ! {line}"));
    std::iter::once(value).chain(notes).collect::<Vec<_>>().join("\n")
}

/// A value that is text is shown as that text.
fn excerpt(value: &str) -> String {
    let text = match serde_json::from_str(value) {
        Ok(Value::String(text)) => text,
        _ => value.to_owned(),
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> = lines.iter().take(SHOWN).map(|line| format!("   │ {}", cut(line))).collect();
    if lines.len() > SHOWN {
        shown.push(format!("   │ … and {} more lines", lines.len() - SHOWN));
    }
    shown.join("\n")
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(400) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

async fn say(text: &str) -> Result<()> {
    let mut stdout = tokio::io::stdout();
    stdout.write_all(text.as_bytes()).await?;
    stdout.write_all(b"\n").await?;
    Ok(stdout.flush().await?)
}
