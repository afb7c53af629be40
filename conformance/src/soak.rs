//! Calls of every kind in several sessions at once. Meanwhile files change, turns are cancelled and language servers
//! are killed. Every call has an outcome, in time and not wrong; memory stays; no process is left.

mod client;
mod figures;
mod question;
mod workspace;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use client::Client;
pub use figures::Figures;
use futures::future::try_join_all;
use question::Question;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use workspace::{Change, ChangingWorkspace, TYPES};

use crate::chain::{Chain, Programs, Setup, Shape, start};
use crate::processes::Process;
use crate::random::Random;
use crate::record::Record;
use unpoisoned::lock;

/// The time limit of a turn: the component's deadline, and slack for a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// The number of turns after which a session is closed and another one opened.
const SESSION: usize = 150;

/// The number of times that memory is measured.
const LOOKS: usize = 30;

/// The number of idle connections that each session opens to the component's port and never closes.
const IDLE: usize = 20;

/// The end of the mock agent's words on a call that was answered with an empty 202, as cancelled ones are.
const NO_ANSWER: &str = "HTTP 202 without an answer: ";

/// The size of a soak.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub calls: usize,
    /// The number of times that a language server, or its supervisor, is killed.
    pub kills: usize,
    /// The number of sessions at once.
    pub sessions: usize,
    pub seed: u64,
    /// True when all messages are kept, to explain a call that hangs.
    pub records: bool,
}

/// The state that all sessions share.
struct Soak {
    record: Option<Arc<Record>>,
    chain: Chain,
    client: Client,
    state: Mutex<State>,
    /// Connections that say nothing.
    idle: Mutex<Vec<TcpStream>>,
}

struct State {
    random: Random,
    workspace: ChangingWorkspace,
    figures: Figures,
    plan: Plan,
    n_begun: usize,
    /// After how many calls somebody is to be killed, the next one last.
    kills: Vec<usize>,
    /// After how many calls memory is looked at next.
    look: usize,
}

/// The next action of a session.
enum Step {
    Ask { questions: Vec<Question>, cancel_after: Option<Duration> },
    ChangeOnDisk(Change),
    ChangeInEditor(Change),
}

/// Soaks the fused chain.
///
/// # Errors
/// When the chain does not start, hangs, dies or leaves processes. What its answers were worth is in the figures.
pub async fn soak(programs: Programs, plan: Plan) -> Result<Figures> {
    let (workspace, state) = (ChangingWorkspace::new()?, tempfile::TempDir::new()?);
    let root = workspace.root().to_owned();
    let wall = adapter::fallback::wall().is_ok();
    let mut setup = Setup { wall, ..Setup::new(Shape::Fused, programs) };
    setup.settings = Some(workspace.settings().to_owned());
    setup.environment.push(("XDG_STATE_HOME".into(), state.path().into()));
    let last_setup = setup.clone();
    let record = plan.records.then(|| Arc::new(Record::default()));
    setup.record.clone_from(&record);
    let mut chain = start(&setup)?;
    let client = Client::open(&mut chain, record.clone()).await?;
    let mut random = Random::new(plan.seed);
    let mut kills: Vec<_> =
        (0..plan.kills).map(|_| plan.calls / 20 + random.below(plan.calls * 9 / 10)).collect();
    kills.sort_by(|a, b| b.cmp(a));
    let state = State { random, workspace, figures: Figures::default(), plan, n_begun: 0, kills, look: 0 };
    let soak = Soak { record, chain, client, state: Mutex::new(state), idle: Mutex::default() };
    let started = Instant::now();
    let worked = try_join_all((0..plan.sessions).map(|_| work(&soak, &root))).await;
    let Soak { chain, client, state, .. } = soak;
    client.leave();
    // The workspace stays until the last chain is gone.
    let State { mut figures, workspace: _workspace, .. } =
        state.into_inner().map_err(|_| anyhow!("a session panicked"))?;
    figures.took = started.elapsed();
    client.soiled().into_iter().for_each(|it| figures.complain(format!("standard output was soiled: {it}")));
    figures.n_words = chain.run.n_words();
    let ended = chain.ended().await;
    worked.map_err(|error| error.context(figures.to_string()))?;
    ended?;
    figures.n_left = be_killed(&last_setup, &root).await?;
    Ok(figures)
}

/// Kills the chain itself while its servers work. How many processes there were that had to end with it.
async fn be_killed(setup: &Setup, root: &Path) -> Result<usize> {
    let mut chain = start(setup)?;
    let client = Client::open(&mut chain, None).await?;
    let session = client.session(root).await?;
    let questions = TYPES.map(|it| format!("call findImplementations(`{it}`)")).join("\n");
    // Its end is waited for: then there are servers.
    let answered = client.begin(&session, &format!("together\n{questions}")).answer();
    tokio::time::timeout(LIMIT, answered).await?.map_err(|error| anyhow!("{error}"))?;
    let working = client.begin(&session, &format!("together\n{questions}"));
    let living = chain.run.living();
    chain.process().into_iter().for_each(|it| itself(it).kill());
    let _nobody_answers = working.answer().await;
    client.leave();
    chain.ended().await?;
    Ok(living.len() - 1)
}

/// One session after the other, until all calls are begun.
async fn work(soak: &Soak, root: &Path) -> Result<()> {
    loop {
        let session = soak.client.session(root).await?;
        lock(&soak.state).figures.n_sessions += 1;
        soak.crowd(&session).await?;
        for _ in 0..SESSION {
            let Some(step) = soak.next() else { return Ok(()) };
            if !soak.take(&session, step).await? {
                break;
            }
        }
        soak.client.close(&session).await?;
    }
}

impl Soak {
    /// Returns the next step; `None` once all calls are begun.
    fn next(&self) -> Option<Step> {
        let mut state = lock(&self.state);
        if state.n_begun >= state.plan.calls {
            return None;
        }
        if state.n_begun >= state.look {
            let (n, process) = (state.n_begun, self.chain.process());
            state.look += state.plan.calls.div_ceil(LOOKS);
            let holding = process.map(|it| itself(it).holding()).unwrap_or_default();
            state.figures.remember(n, holding);
        }
        if state.kills.last().is_some_and(|it| *it <= state.n_begun) && self.kill(&mut state) {
            state.kills.pop();
        }
        Some(state.step())
    }

    /// Connects to the port of the session's tool, and says nothing there.
    async fn crowd(&self, session: &str) -> Result<()> {
        let Some((said, _)) = self.play(session, ("servers", 1), None).await? else { return Ok(()) };
        let servers: Value = serde_json::from_str(said.first().map_or("", String::as_str))?;
        let url = servers[0]["url"].as_str().and_then(|it| it.strip_prefix("http://")?.split('/').next());
        let authority = url.ok_or_else(|| anyhow!("a session without a port: {servers}"))?;
        for _ in 0..IDLE {
            let idle = TcpStream::connect(authority).await?;
            lock(&self.idle).push(idle);
        }
        Ok(())
    }

    /// Kills a language server, or its supervisor. Whether there was one.
    fn kill(&self, state: &mut State) -> bool {
        let living = self.chain.run.living();
        let servers: Vec<_> = living.iter().filter_map(|it| Some((server(it)?, it))).collect();
        if servers.is_empty() {
            return false;
        }
        let (name, process) = state.random.one(&servers);
        process.kill();
        state.figures.killed.push((*name).to_owned());
        true
    }

    /// Does it; whether the session can go on.
    async fn take(&self, session: &str, step: Step) -> Result<bool> {
        match step {
            Step::ChangeOnDisk(change) => {
                let began = Instant::now();
                std::fs::write(change.path, change.text)?;
                lock(&self.state).figures.has_written(began.elapsed());
            }
            Step::ChangeInEditor(change) => {
                let params = json!({"sessionId": "", "path": change.path, "content": change.text});
                let script = format!("request fs/write_text_file {params}");
                return Ok(self.play(session, (&script, 1), None).await?.is_some());
            }
            Step::Ask { questions, cancel_after } => {
                let calls: Vec<_> = questions.iter().map(|it| format!("call {}", it.program)).collect();
                let together = if calls.len() > 1 { "together\n" } else { "" };
                let began = Instant::now();
                let script = format!("{together}{}", calls.join("\n"));
                let played = self.play(session, (&script, calls.len()), cancel_after).await?;
                let Some((said, is_cancelled)) = played else { return Ok(false) };
                lock(&self.state).figures.judge(&questions, &said, is_cancelled, began.elapsed());
            }
        }
        Ok(true)
    }

    /// A turn in which so many texts are to be said: those, and whether it was cancelled. Nothing when it hangs.
    async fn play(
        &self,
        session: &str,
        (script, n_texts): (&str, usize),
        cancel: Option<Duration>,
    ) -> Result<Option<(Vec<String>, bool)>> {
        let mut turn = std::pin::pin!(self.client.begin(session, script).answer());
        let early = match cancel {
            Some(after) => tokio::time::timeout(after, turn.as_mut()).await.ok(),
            None => None,
        };
        let asks_to_cancel = early.is_none() && cancel.is_some();
        if asks_to_cancel {
            self.client.cancel(session);
        }
        let ended = match early {
            Some(ended) => ended,
            None => match tokio::time::timeout(LIMIT, turn.as_mut()).await {
                Ok(ended) => ended,
                Err(_) => {
                    let late = tokio::time::timeout(LIMIT, turn).await;
                    self.complain_of_silence(session, script, cancel, late.is_ok());
                    return Ok(None);
                }
            },
        };
        let ended = ended.map_err(|error| anyhow!("{error}; {}", self.chain.run.last_words()))?;
        let is_cancelled = ended["stopReason"] == "cancelled";
        let n_texts = if is_cancelled { 0 } else { n_texts };
        let said = self.client.said(session, n_texts).await;
        // The call was cancelled before its agent heard of that.
        let has_no_answer = asks_to_cancel && said.iter().any(|it| it.ends_with(NO_ANSWER));
        Ok(Some((said, is_cancelled || has_no_answer)))
    }

    /// A turn did not end in time: what was heard of its session, for whoever has to find out why.
    fn complain_of_silence(&self, session: &str, script: &str, cancel: Option<Duration>, is_late: bool) {
        let entries = self.record.as_ref().map_or_else(Vec::new, |it| it.entries());
        let lines = entries.iter().filter(|it| it.message.to_string().contains(session)).map(|it| {
            let message: String = it.message.to_string().chars().take(300).collect();
            format!("  {} {:?} {message}", it.player, it.way)
        });
        let lines: Vec<_> = lines.collect();
        let heard = lines[lines.len().saturating_sub(25)..].join("\n");
        let when = if is_late { "it came late" } else { "nor within that time again" };
        let cancelled = cancel.map_or_else(String::new, |it| format!(", cancelled after {it:?}"));
        let last_words = self.chain.run.last_words();
        let complaint =
            format!("no outcome within {LIMIT:?}, {when}: {script}{cancelled}\n{heard}\n{last_words}");
        lock(&self.state).figures.complain(complaint);
    }
}

impl State {
    fn step(&mut self) -> Step {
        let Self { random, workspace, figures, .. } = self;
        match random.below(20) {
            0 => {
                figures.n_changes += 1;
                return Step::ChangeOnDisk(workspace.change(random));
            }
            1 => {
                figures.n_changes += 1;
                return Step::ChangeInEditor(workspace.change(random));
            }
            _ => {}
        }
        let count = if random.below(6) == 0 { 2 + random.below(3) } else { 1 };
        let count = count.min(self.plan.calls - self.n_begun);
        self.n_begun += count;
        let questions = (0..count).map(|_| Question::draw(workspace, random)).collect();
        let cancel_after = (random.below(25) == 0).then(|| Duration::from_millis(random.below(400) as u64));
        Step::Ask { questions, cancel_after }
    }
}

/// The language server that a process is or supervises, by name.
fn server(process: &Process) -> Option<String> {
    const SERVERS: [&str; 6] = ["rust-analyzer", "ty server", "tsc", "clangd", "pyright", "typescript"];
    let name = SERVERS.into_iter().find(|it| process.command.contains(it))?;
    let is_supervisor = process.command.contains("supervise");
    Some(if is_supervisor { format!("the supervisor of {name}") } else { name.to_owned() })
}

/// The process of a chain.
fn itself(id: u32) -> Process {
    Process { id: i32::try_from(id).unwrap_or(0), command: String::new() }
}
