//! A conversation without an editor and without a model. A mock editor, the real proxies, a mock agent and, where it is
//! installed, the real rust-analyzer talk about this repository, and the tour prints what they say.

mod progress;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_client_protocol::ByteStreams;
use anyhow::{Context, Result, anyhow};
use conformance::agent;
use conformance::editor::{Answers, Editor};
use conformance::record::{Entry, Log, Record, Way};
use progress::Progress;
use serde_json::json;
use tokio::io::{AsyncWriteExt, DuplexStream, duplex, split};
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

/// The number of lines of an answer that the tour prints; the agent reads all of them.
const SHOWN: usize = 12;

/// The longest line of an answer that the tour prints, in characters.
const LONGEST: usize = 160;

/// The time limit of a question. The first one waits until rust-analyzer has loaded the workspace.
const DEADLINE: Duration = Duration::from_secs(300);

/// A question of the agent, and the program that it sends.
type Question = (&'static str, &'static str);

/// Questions that the text and the syntax of the files answer.
const AT_ONCE: [Question; 5] = [
    ("What can it be asked?", "help()"),
    ("Where is it defined?", "findDefinition(`Requirement`)"),
    ("Show me the code.", "source(findDefinition(`Requirement`))"),
    ("What does its file define?", "outline(`shared/dialect/src/requirement.rs`)"),
    ("Which lines match?", "brief(search(`shared/dialect`, `Requirement::\\w+`, `.rs`))"),
];

/// Questions that need a language server.
const SEMANTIC: [Question; 4] = [
    ("Where is it used?", "brief(findReferences(`Requirement`))"),
    ("Which tests use it?", "findReferences(`Requirement`).filter(r => r.test).map(r => r.in).unique()"),
    ("Who calls its constructor?", "brief(findCallers(`Requirement::new`))"),
    ("A name with several meanings: which one?", "findReferences(`Config`)"),
];

/// Programs for a shell.
const SHELL: [&str; 2] = ["brief(findCallers(`Requirement::new`))", "findReferences(`Requirement`).length"];

/// Programs with mistakes; each answer says what to write instead.
const MISTAKES: [Question; 3] = [
    ("A name that does not exist.", "findDefinition(`Requirment`)"),
    ("A function that does not exist.", "findReferenses(`Requirement`)"),
    ("A bracket is missing.", "brief(search(`shared`, `Requirement`)"),
];

fn main() -> ExitCode {
    // The proxies start this executable again above each language server, and editors may start it as `dialect`.
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
    let mut tour = Tour::start()?;

    say("editor ⇄ adapter ⇄ component ⇄ agent\n").await?;
    tour.editor.initialize(1, &json!({})).await?;
    say("editor → initialize    it offers no `ide_operations`, so language servers will answer").await?;
    tour.editor.set_up("session/new", "tour", json!({"cwd": workspace, "mcpServers": []})).await?;
    say("editor → session/new   in this repository; rust-analyzer starts to load it").await?;
    let description = tour.ask("describe").await?;
    say(&format!("agent  ← {}", opening(&description))).await?;

    say("\nAT ONCE, from text and syntax. An answer from syntax says so.").await?;
    tour.questions(&AT_ONCE, "call wait=0").await?;
    say("\nFROM RUST-ANALYZER, which the first question waits for.").await?;
    tour.questions(&SEMANTIC, "call").await?;
    say("\nMISTAKES, and what to write instead.").await?;
    tour.questions(&MISTAKES, "call").await?;

    say("\nFROM A SHELL, with the same servers: one background process has them.").await?;
    for program in SHELL {
        from_shell(&workspace, program).await?;
    }

    tour.end().await?;
    // The tour leaves nothing behind.
    let _none_ran = dialect(&["server", "stop"]).output().await?;
    say(&format!("\nIN YOUR EDITOR. Paste this into Zed's settings.json:\n\n{}", settings(&program()?)?))
        .await?;
    say("\n`cargo install --path cli` builds the optimised program; then the command is \"dialect\".").await
}

/// Runs a program in a shell's process, and prints its answer with its time.
async fn from_shell(workspace: &Path, program: &str) -> Result<()> {
    let began = Instant::now();
    let output = dialect(&["eval", "--compact", program]).current_dir(workspace).output().await?;
    let took = began.elapsed().as_millis();
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    say(&format!("\n   $ dialect eval '{program}'\n{}\n   ({took} ms)", excerpt(answer.trim_end()))).await
}

/// Returns this executable as `dialect`, with the background process.
fn dialect(arguments: &[&str]) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap_or_default());
    command.args(arguments).env("DIALECT_SERVER", "on");
    command
}

/// The two players and the proxies between them, all in this process.
struct Tour {
    editor: Editor,
    record: Arc<Record>,
    proxies: tokio::task::JoinHandle<Result<()>>,
    progress: Progress,
    /// The number of questions so far.
    asked: usize,
    /// The beginnings of the notes that were printed: each is printed once.
    noted: BTreeSet<String>,
}

impl Tour {
    fn start() -> Result<Self> {
        let (editor, client) = duplex(64 * 1024);
        let (server, agent) = duplex(64 * 1024);
        let mut config = cli::Chain::new(std::env::current_exe()?);
        config.component.deadline = DEADLINE;
        // As for `dialect agent`: confined where this machine can build a wall.
        config.fallback.build_walls();
        config.share_servers();
        let proxies = tokio::spawn(async move {
            let ended = cli::chain(config, streams(client), streams(server)).await;
            ended.map_err(|error| anyhow!("{error}"))
        });
        let record = Arc::new(Record::default());
        let (read, write) = split(agent);
        let hears_progress = agent::Config { progress: true, ..agent::Config::default() };
        tokio::spawn(agent::run(hears_progress, read, write, Log::Nowhere));
        let (read, write) = split(editor);
        let log = Log::Here { player: "editor", record: Arc::clone(&record) };
        let editor = Editor::open(read, write, Answers::default(), log);
        Ok(Self {
            editor,
            record,
            proxies,
            progress: Progress::on_standard_error(),
            asked: 0,
            noted: BTreeSet::new(),
        })
    }

    /// Asks the questions in turn, and prints the answers with their times.
    async fn questions(&mut self, questions: &[Question], command: &str) -> Result<()> {
        for (question, program) in questions {
            self.asked += 1;
            say(&format!("\n{}. {question}\n   {program}", self.asked)).await?;
            let began = Instant::now();
            let answer = self.ask(&format!("{command} {program}")).await?;
            say(&shown(&answer, &mut self.noted)).await?;
            say(&format!("   ({} bytes, {:.1} s)", answer.len(), began.elapsed().as_secs_f64())).await?;
        }
        Ok(())
    }

    /// Runs one turn, showing progress, and returns what the agent said in it.
    async fn ask(&mut self, command: &str) -> Result<String> {
        let before = self.record.len();
        let heard = || self.record.entries_from(before);
        let latest = || heard().iter().rev().find_map(progress_of);
        self.progress.during(self.editor.whole_turn("tour", command), latest).await?;
        let said: Vec<String> = heard().iter().filter_map(chunk).collect();
        Ok(said.join("\n"))
    }

    async fn end(self) -> Result<()> {
        self.editor.peer().close();
        drop(self.editor);
        self.proxies.await.context("the proxies")?
    }
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

/// Returns the text of a message of the agent, if the entry is one.
fn chunk(entry: &Entry) -> Option<String> {
    let update = &entry.message["params"]["update"];
    let is_chunk = entry.way == Way::Heard && update["sessionUpdate"] == "agent_message_chunk";
    is_chunk.then(|| update["content"]["text"].as_str().map(str::to_owned))?
}

/// Returns the progress that the mock agent passes on, if the entry is one.
fn progress_of(entry: &Entry) -> Option<String> {
    let is_progress = entry.message["method"] == "_mock/progress";
    is_progress.then(|| entry.message["params"]["message"].as_str().map(str::to_owned))?
}

fn opening(description: &str) -> String {
    let first = description.lines().next().unwrap_or_default();
    format!("the tool `ide_operation`, described in {} bytes:\n         {first}", description.len())
}

/// The mock agent's separator between the blocks of an answer.
const BETWEEN_BLOCKS: &str = "\n---\n";

/// The words by which a note is known.
const WORDS_OF_NOTE: usize = 3;

/// Formats the first lines of an answer for people, and the notes about it that were not printed before.
fn shown(answer: &str, noted: &mut BTreeSet<String>) -> String {
    let mut blocks = answer.split(BETWEEN_BLOCKS);
    let value = excerpt(blocks.next().unwrap_or_default());
    let mut is_new =
        |line: &&str| noted.insert(line.split(' ').take(WORDS_OF_NOTE).collect::<Vec<_>>().join(" "));
    let notes = blocks.flat_map(str::lines).filter(&mut is_new).map(|line| format!("   ! {line}"));
    std::iter::once(value).chain(notes).collect::<Vec<_>>().join("\n")
}

/// Formats the first lines of a value; a text is shown without its quotes.
fn excerpt(value: &str) -> String {
    let text = conformance::places::text(value);
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> = lines.iter().take(SHOWN).map(|line| format!("   │ {}", cut(line))).collect();
    if lines.len() > SHOWN {
        shown.push(format!("   │ … and {} more lines", lines.len() - SHOWN));
    }
    shown.join("\n")
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

/// Returns the path of `dialect` where it is built beside the tour, otherwise the tour's own, which is the same program
/// when it has arguments.
fn program() -> Result<PathBuf> {
    let tour = std::env::current_exe()?;
    let dialect = tour.with_file_name("dialect").with_extension(std::env::consts::EXE_EXTENSION);
    Ok(if dialect.is_file() { dialect } else { tour })
}

/// Returns the entry of Zed's settings that starts an agent behind that program.
fn settings(program: &Path) -> Result<String> {
    let args = ["agent", "--", "npx", "@agentclientprotocol/claude-agent-acp"];
    let server = json!({"type": "custom", "command": program, "args": args});
    Ok(serde_json::to_string_pretty(&json!({"agent_servers": {"Claude with Dialect": server}}))?)
}

async fn say(text: &str) -> Result<()> {
    let mut stdout = tokio::io::stdout();
    stdout.write_all(text.as_bytes()).await?;
    stdout.write_all(b"\n").await?;
    Ok(stdout.flush().await?)
}
