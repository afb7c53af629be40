//! The chain under test, between an editor and an agent: in this process or as real processes.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use adapter::fallback::{Health, Level};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, duplex, split};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};
use transport::Transport;

use crate::processes::Run;
use crate::record::{self, Log, Record};
use crate::{agent, notes};

/// The time limit for a chain to end once the editor is gone; it takes a second or two unless the machine is busy.
const END: Duration = Duration::from_secs(120);

/// The processes between editor and agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing: they talk to each other.
    Direct,
    /// Conductor, adapter and component in this process, over pipes in memory.
    InProcess,
    /// `dialect agent`, and the agent as its child.
    Fused,
    /// The official conductor, with adapter, component and agent as processes of their own.
    Conducted,
    /// The official conductor with nobody but the agent.
    Unaccompanied,
    /// The agent, as a process of its own.
    Alone,
}

impl Shape {
    const NAMES: [(&str, Self); 6] = [
        ("direct", Self::Direct),
        ("in process", Self::InProcess),
        ("fused", Self::Fused),
        ("conducted", Self::Conducted),
        ("unaccompanied", Self::Unaccompanied),
        ("alone", Self::Alone),
    ];

    /// Returns `true` if it starts processes, which have to be gone afterwards.
    pub fn has_processes(self) -> bool {
        !matches!(self, Self::Direct | Self::InProcess)
    }
}

impl FromStr for Shape {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::NAMES.into_iter().find(|(it, _)| *it == name);
        found.map(|(_, shape)| shape).ok_or_else(|| anyhow!("no chain is called `{name}`"))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.into_iter().find(|(_, it)| it == self).map(|(name, _)| name);
        f.write_str(name.unwrap_or_default())
    }
}

/// The folder of the programs under test.
#[derive(Clone, Debug)]
pub struct Programs(PathBuf);

impl Programs {
    /// In the folder of that one of them.
    ///
    /// # Errors
    /// When some were not built.
    pub fn beside(program: &Path) -> Result<Self> {
        let programs = Self(program.parent().map(Path::to_owned).unwrap_or_default());
        for name in ["dialect-under-test", "mock-agent", "conductor"] {
            if !programs.path(name).is_file() {
                bail!(
                    "`{name}` was not built; say: cargo build -p conformance --bins (and the same profile)"
                );
            }
        }
        Ok(programs)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

/// The configuration of a chain.
#[derive(Clone, Debug)]
pub struct Setup {
    pub shape: Shape,
    pub programs: Programs,
    /// The mock agent's command line.
    pub agent: Vec<String>,
    /// The command that replaces the Rust language server.
    pub server: Option<Vec<OsString>>,
    /// The record of all players; without one, nobody records.
    pub record: Option<Arc<Record>>,
    /// The folder of the user's settings, `$XDG_CONFIG_HOME`; the user of a chain in this process has none without.
    pub settings: Option<PathBuf>,
    /// Environment variables of real processes, beside those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// True when the workspace is trusted.
    pub trust: bool,
    /// True when language servers are confined where this machine can do it. The fake server could not report from
    /// behind a wall.
    pub wall: bool,
    /// True when the user is asked to trust the workspace.
    pub asks_for_trust: bool,
    /// The limits after which a language server is ended, in this process.
    pub health: Option<Health>,
    /// The delay before the user is shown what a question waits for, in this process.
    pub patience: Option<Duration>,
    /// The library that writes, if programs can name it.
    pub notes: Option<Notes>,
    /// The plugins that the command line of a fused chain names.
    pub plugins: Vec<PathBuf>,
    /// More options of a fused chain's command line.
    pub options: Vec<OsString>,
    /// The time that the language servers of the editor have for an answer, if they are asked. Processes have their own.
    pub lent_patience: Option<Duration>,
}

/// The library that writes, for scenarios about permission.
#[derive(Clone, Debug)]
pub struct Notes {
    /// The folder of the notes.
    pub folder: PathBuf,
    /// The user's state folder, `$XDG_STATE_HOME`.
    pub state: PathBuf,
    /// The time that a call waits for the user, in milliseconds.
    pub patience: Option<u64>,
    pub read_only: bool,
}

impl Setup {
    pub fn new(shape: Shape, programs: Programs) -> Self {
        Self {
            shape,
            programs,
            agent: Vec::new(),
            server: None,
            record: None,
            settings: None,
            environment: Vec::new(),
            trust: false,
            wall: false,
            asks_for_trust: false,
            health: None,
            patience: None,
            notes: None,
            plugins: Vec::new(),
            options: Vec::new(),
            lent_patience: None,
        }
    }

    /// Puts real processes into an environment that knows of no language server, or of the fake one alone, under a
    /// real one's name.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn shim(&mut self, plan: Option<&Value>) -> Result<TempDir> {
        let shims = TempDir::with_prefix("shims-")?;
        if let Some(plan) = plan {
            let names: Vec<&str> = match plan["as"].as_object() {
                Some(names) => names.keys().map(String::as_str).collect(),
                None => vec!["rust-analyzer"],
            };
            for name in names {
                let fake = self.programs.path("fake-language-server");
                std::os::unix::fs::symlink(fake, shims.path().join(name))?;
            }
            self.environment.push(("FAKE_LANGUAGE_SERVER_PLAN".into(), plan.to_string().into()));
        }
        // rustup, which would know of another, is looked for in these places.
        for variable in ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME"] {
            self.environment.push((variable.into(), shims.path().into()));
        }
        Ok(shims)
    }

    fn log(&self, player: &'static str) -> Log {
        match &self.record {
            Some(record) => Log::Here { player, record: Arc::clone(record) },
            None => Log::Nowhere,
        }
    }
}

/// A chain that runs, with the editor's ends of its streams.
pub struct Chain {
    pub read: Option<Box<dyn AsyncRead + Send + Unpin>>,
    pub write: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    pub run: Run,
    life: Life,
}

enum Life {
    Tasks(Vec<JoinHandle<Result<()>>>),
    Process(Box<Child>),
}

/// Starts a chain.
///
/// # Errors
/// When a process cannot be started.
pub fn start(setup: &Setup) -> Result<Chain> {
    match setup.shape {
        Shape::Direct => {
            let (editor, agent) = duplex(64 * 1024);
            Ok(in_process(editor, vec![spawn_agent(setup, agent)?]))
        }
        Shape::InProcess => {
            let (editor, chain, agent) = spawn_chain(setup)?;
            Ok(in_process(editor, vec![chain, spawn_agent(setup, agent)?]))
        }
        Shape::Fused | Shape::Conducted | Shape::Unaccompanied | Shape::Alone => as_processes(setup),
    }
}

/// Starts a chain in this process without an agent. Returns the agent's end of its stream too.
///
/// # Errors
/// When the chain cannot be set up so.
pub fn start_without_agent(setup: &Setup) -> Result<(Chain, DuplexStream)> {
    let (editor, chain, agent) = spawn_chain(setup)?;
    Ok((in_process(editor, vec![chain]), agent))
}

/// Spawns the chain in this process. Returns the editor's end, its task, and the agent's end.
fn spawn_chain(setup: &Setup) -> Result<(DuplexStream, JoinHandle<Result<()>>, DuplexStream)> {
    let (editor, client) = duplex(64 * 1024);
    let (server, agent) = duplex(64 * 1024);
    Ok((editor, tokio::spawn(chained(config(setup)?, client, server)), agent))
}

/// The time that language servers get before the syntax answers: on a busy machine, which of them is first must not
/// decide what a test sees.
const HEAD_START: Duration = Duration::from_secs(120);

fn config(setup: &Setup) -> Result<cli::Chain> {
    let program = setup.programs.path("dialect-under-test");
    let mut config = cli::Chain::new(program.clone());
    config.component.scripts = Some(component::Scripts::new(program, ["script-worker".into()]));
    config.speaks_draft = setup.options.iter().any(|it| it == "--acp-draft");
    config.component.checks_edits = false; // its questions would stand in transcripts wherever it has come to
    config.fallback.level = setup.trust.then_some(Level::Trusted);
    config.fallback.user_settings = setup.settings.as_ref().map(|it| it.join("dialect/config.toml"));
    config.fallback.wall = setup.wall;
    config.fallback.asks_for_trust = setup.asks_for_trust;
    config.fallback.health = setup.health.unwrap_or_default();
    config.fallback.head_start = HEAD_START;
    // How often files are read is then the same in each run.
    config.fallback.text_age = Duration::ZERO;
    config.fallback.editor_servers = setup.lent_patience.is_some();
    config.fallback.lent_patience = setup.lent_patience.unwrap_or(config.fallback.lent_patience);
    config.fallback.patience = setup.patience.unwrap_or(config.fallback.patience);
    config.fallback.servers.extend(setup.server.clone().map(|it| ("rust".to_owned(), it)));
    if let Some(Notes { folder, state, patience, read_only }) = &setup.notes {
        config.component.read_only = *read_only;
        let state = component::State::at(state.join("dialect"));
        notes::set_up(&mut config.component, folder.clone(), *patience, Some(state))?;
    }
    Ok(config)
}

async fn chained(config: cli::Chain, client: DuplexStream, agent: DuplexStream) -> Result<()> {
    let ended = cli::chain(config, streams(client), streams(agent)).await;
    ended.map_err(|error| anyhow!("the chain failed: {error}"))
}

fn streams(
    stream: DuplexStream,
) -> Transport<impl futures::AsyncWrite + Send + 'static, impl futures::AsyncRead + Send + 'static> {
    let (read, write) = split(stream);
    Transport::new(write.compat_write(), read.compat())
}

fn spawn_agent(setup: &Setup, stream: DuplexStream) -> Result<JoinHandle<Result<()>>> {
    let config = agent::Config::from_arguments(setup.agent.iter().cloned())?;
    let (read, write) = split(stream);
    let log = setup.log("agent");
    Ok(tokio::spawn(async move {
        agent::run(config, read, write, log).await;
        Ok(())
    }))
}

fn in_process(editor: DuplexStream, tasks: Vec<JoinHandle<Result<()>>>) -> Chain {
    let (read, write) = split(editor);
    Chain {
        read: Some(Box::new(read)),
        write: Some(Box::new(write)),
        run: Run::new(),
        life: Life::Tasks(tasks),
    }
}

fn as_processes(setup: &Setup) -> Result<Chain> {
    let run = Run::new();
    let mut command = command(setup);
    command.env_remove("XDG_STATE_HOME");
    command.envs(setup.settings.as_ref().map(|it| ("XDG_CONFIG_HOME", it)));
    if let Some(Notes { folder, state, patience, .. }) = &setup.notes {
        command.env(notes::VARIABLE, folder).env("XDG_STATE_HOME", state);
        command.envs(patience.map(|it| (notes::PATIENCE, it.to_string())));
    }
    command.env(crate::processes::VARIABLE, run.id());
    if !setup.wall {
        command.env("DIALECT_WALL", "off");
    }
    command.env("DIALECT_HEAD_START", HEAD_START.as_millis().to_string());
    // How often files are read is then the same in each run.
    command.env("DIALECT_TEXT_AGE", "0");
    command.env("DIALECT_TRUST", if setup.asks_for_trust { "ask" } else { "never" });
    command.envs(setup.environment.iter().map(|(name, value)| (name, value)));
    if let Some(record) = &setup.record {
        command.env(record::VARIABLE, record::listen(record)?.to_string());
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(run.stderr()?);
    let mut child = command.spawn().with_context(|| format!("starting {command:?}"))?;
    let (read, write) = (child.stdout.take(), child.stdin.take());
    Ok(Chain {
        read: read.map(|it| Box::new(it) as _),
        write: write.map(|it| Box::new(it) as _),
        run,
        life: Life::Process(Box::new(child)),
    })
}

fn command(setup: &Setup) -> Command {
    let programs = &setup.programs;
    let trust = setup.trust.then_some("--trust");
    let lent = setup.lent_patience.map(|_| "--editor-servers");
    let agent = programs.path("mock-agent");
    if setup.shape == Shape::Alone {
        let mut command = Command::new(agent);
        command.args(&setup.agent);
        return command;
    }
    if setup.shape == Shape::Fused {
        let mut command = Command::new(programs.path("dialect-under-test"));
        let plugins = setup.plugins.iter().flat_map(|it| [OsStr::new("--plugin"), it.as_os_str()]);
        let read_only = setup.notes.as_ref().is_some_and(|it| it.read_only).then_some("--read-only");
        command
            .args(["agent", NO_CHECKS])
            .args(trust)
            .args(read_only)
            .args(lent)
            .args(&setup.options)
            .args(plugins)
            .arg("--")
            .arg(agent)
            .args(&setup.agent);
        return command;
    }
    let mut command = Command::new(programs.path("conductor"));
    command.arg("agent");
    if setup.shape == Shape::Conducted {
        let dialect = programs.path("dialect-under-test");
        command.arg(line(&dialect, ["adapter"].into_iter().chain(trust).chain(lent).map(str::to_owned)));
        let (component, arguments) = match &setup.notes {
            Some(notes) => ("component-with-notes", notes.read_only.then_some("--read-only")),
            None => ("dialect-under-test", Some("component")),
        };
        let checks = setup.notes.is_none().then_some(NO_CHECKS);
        command.arg(line(&programs.path(component), arguments.into_iter().chain(checks).map(str::to_owned)));
    }
    command.arg(line(&agent, setup.agent.iter().cloned()));
    command
}

/// The option without which questions between calls stand in transcripts wherever they have come to.
const NO_CHECKS: &str = "--no-edit-checks";

/// A command as the conductor takes it: JSON, in which nothing has to be quoted for a shell.
fn line(program: &Path, arguments: impl IntoIterator<Item = String>) -> String {
    let arguments: Vec<String> = arguments.into_iter().collect();
    json!({"command": program, "args": arguments}).to_string()
}

impl Chain {
    /// Waits until the chain is over, and looks after what it may have left.
    ///
    /// # Errors
    /// When it does not end in time, when it panicked, or when a process is left behind.
    pub async fn ended(self) -> Result<()> {
        let Self { read, write, run, life } = self;
        drop((read, write));
        let waiting = async {
            match life {
                Life::Tasks(tasks) => {
                    for task in tasks {
                        let _how = task.await.context("a part of the chain panicked")?;
                    }
                }
                Life::Process(mut child) => {
                    child.wait().await?;
                }
            }
            Ok(())
        };
        let ended: Result<()> = tokio::time::timeout(END, waiting)
            .await
            .unwrap_or_else(|_| Err(anyhow!("the chain did not end within {END:?} of its editor")));
        let gone = run.gone(END).await;
        ended.and(gone).with_context(|| run.last_words())
    }

    /// Waits until the first process is gone, with the editor's streams still open.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub async fn died(&mut self) -> Result<()> {
        if let Life::Process(child) = &mut self.life {
            child.wait().await?;
        }
        Ok(())
    }

    /// The id of the first process, when there are processes.
    pub fn process(&self) -> Option<u32> {
        match &self.life {
            Life::Tasks(_) => None,
            Life::Process(child) => child.id(),
        }
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("run", &self.run).finish_non_exhaustive()
    }
}
