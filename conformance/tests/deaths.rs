//! A language server that dies at the most awkward moments: every question has an outcome within its time, the
//! fallback ends, and no process is left. `DIALECT_DEATHS` says how many rounds, `DIALECT_DEATHS_SEED` which.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adapter::fallback::{Caller, Config, Fallback, Health};
use anyhow::{Context, Result, anyhow, bail, ensure};
use conformance::processes::{Process, at_work_in, none_left};
use conformance::random::Random;
use conformance::record::{self, Entry, Record, Way};
use conformance::workspace::Workspace;
use futures::future::join_all;
use futures::{StreamExt, TryStreamExt};
use ide_protocol::{
    DefinitionsQuestion, Envelope, IdeError, Location, Operation, ReferencesQuestion, Request, Target,
};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::background::FILES;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        every_question_has_an_outcome_whenever_a_server_dies,
        a_server_that_hangs_does_not_outlive_its_supervisor,
    ]
}

/// The usual number of rounds.
const ROUNDS: usize = 12;

/// The deadline of a question.
const DEADLINE: Duration = Duration::from_secs(6);

/// The time beyond the deadline after which a question counts as hanging.
const SLACK: Duration = Duration::from_secs(120);

/// The number of questions at once.
const QUESTIONS: usize = 4;

/// The number of rounds at once.
const TOGETHER: usize = 3;

/// The outcome of a question whose server lived, or lived again, in time.
const ANSWERED: &str = "language-server:rust-analyzer";

/// Methods that a server hears in its life, and may die of.
const HEARD: [&str; 7] = [
    "initialize",
    "initialized",
    "workspace/symbol",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentSymbol",
    "shutdown",
];

/// A victim of a kill from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whom {
    Server,
    Supervisor,
    Both,
}

impl Whom {
    fn is(self, process: &Process) -> bool {
        let is_supervisor = process.command.contains(" supervise ");
        match self {
            Self::Server => !is_supervisor,
            Self::Supervisor => is_supervisor,
            Self::Both => true,
        }
    }
}

/// The events of one round.
#[derive(Clone, Debug)]
struct Round {
    plan: Value,
    /// The kills: a victim, and the delay after it was first seen, one life after the other.
    kills: Vec<(Whom, Duration)>,
    /// The questions: the delay after the start, and the time after which it is dropped, if it is.
    questions: Vec<(Duration, Option<Duration>)>,
}

impl Round {
    fn draw(random: &mut Random) -> Self {
        let mut milliseconds = |below: usize| Duration::from_millis(random.below(below) as u64);
        let questions = (0..QUESTIONS).map(|_| (milliseconds(600), milliseconds(900)));
        let questions: Vec<_> = questions.collect();
        let questions = questions.into_iter().map(|(at, drop)| (at, (random.below(4) == 0).then_some(drop)));
        let questions = questions.collect();
        let fault = *random.one(&["die", "die", "die", "hang", "deaf", "stuck", "modified", "empty"]);
        let fault = json!({"on": random.one(&HEARD), "do": fault, "times": 1, "life": 1 + random.below(2)});
        let faults = if random.below(2) == 0 { vec![fault] } else { Vec::new() };
        let ready = *random.one(&["at once", "at once", "never"]);
        let noise: Vec<&str> = ["stderr", "notifications", "junk", "questions"]
            .into_iter()
            .filter(|_| random.below(6) == 0)
            .collect();
        let kills = (0..random.below(4)).map(|_| {
            let whom = *random.one(&[Whom::Server, Whom::Supervisor, Whom::Both]);
            let below = *random.one(&[1, 30, 150, 1_000]);
            (whom, Duration::from_millis(random.below(below) as u64))
        });
        let kills = kills.collect();
        let plan = json!({"ready": ready, "faults": faults, "noise": noise});
        Self { plan, kills, questions }
    }
}

fn every_question_has_an_outcome_whenever_a_server_dies() -> Result<()> {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let rounds = number("DIALECT_DEATHS").and_then(|it| usize::try_from(it).ok()).unwrap_or(ROUNDS);
    let mut random = Random::new(number("DIALECT_DEATHS_SEED").unwrap_or(7));
    // Most of a round is waiting.
    let rounds: Vec<_> = (0..rounds).map(|n| (n, Round::draw(&mut random))).collect();
    let played = futures::stream::iter(&rounds).map(async |(n, round)| {
        let played = timeout(3 * SLACK, play(round)).await;
        let played = played.unwrap_or_else(|_| Err(anyhow!("it has no end")));
        played.with_context(|| format!("round {n}, {round:#?}"))
    });
    let played = crate::runtime()?.block_on(played.buffered(TOGETHER).try_collect::<Vec<_>>())?;
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    let mut slowest = Duration::ZERO;
    for (outcome, took) in played.into_iter().flatten() {
        *outcomes.entry(outcome).or_default() += 1;
        slowest = slowest.max(took);
    }
    eprintln!("slowest {slowest:.1?} of {outcomes:#?}");
    let waited: usize = outcomes.iter().filter(|(it, _)| *it != "dropped").map(|(_, n)| n).sum();
    let answered = outcomes.get(ANSWERED).copied().unwrap_or_default();
    // How many depends on how fast the machine starts servers; the syntax answers what it can before that.
    ensure!(answered > 0, "none of {waited} was answered by a server: {outcomes:#?}");
    Ok(())
}

/// Nothing tells a server that has stopped to read that its supervisor is gone.
fn a_server_that_hangs_does_not_outlive_its_supervisor() -> Result<()> {
    crate::runtime()?.block_on(outlive())
}

async fn outlive() -> Result<()> {
    let record = Arc::new(Record::default());
    let fault = json!({"on": "textDocument/references", "do": "stuck", "life": 1});
    let (workspace, fallback) = open(&json!({"faults": [fault]}), DEADLINE, Some(&record))?;
    let killing = async {
        let is_asked = |_: usize, it: &Entry| {
            it.player == "server" && it.way == Way::Heard && it.method() == "textDocument/references"
        };
        record.wait("the server to be asked", DEADLINE, is_asked).await?;
        let there = at_work_in(workspace.root());
        there.iter().filter(|it| Whom::Supervisor.is(it)).for_each(Process::kill);
        Ok(())
    };
    let (killed, answer): (Result<()>, _) = tokio::join!(killing, ask(&fallback, 1, (Duration::ZERO, None)));
    killed?;
    assert_eq!(answer?.0, ANSWERED, "the next life answers");
    end(&fallback, workspace.root()).await
}

/// A workspace, and a fallback for it whose server does as it is told.
fn open(plan: &Value, suspicion: Duration, record: Option<&Arc<Record>>) -> Result<(Workspace, Fallback)> {
    let workspace = Workspace::new(FILES)?;
    let programs = crate::programs()?;
    let mut config = Config::new(programs.path("dialect-under-test"));
    let mut command: Vec<OsString> =
        vec![programs.path("fake-language-server").into(), "--plan".into(), plan.to_string().into()];
    if let Some(record) = record {
        command.extend(["--record".into(), record::listen(record)?.to_string().into()]);
    }
    config.servers.insert("rust".into(), command);
    config.health = Health { suspicion, silence: suspicion * 2, ..Health::default() };
    let fallback = Fallback::new(config);
    fallback.open_session("s", vec![workspace.root().to_owned()]);
    Ok((workspace, fallback))
}

/// Nobody asks any more: nothing is to be left.
async fn end(fallback: &Fallback, root: &Path) -> Result<()> {
    let ended = timeout(SLACK, fallback.shutdown()).await;
    ended.map_err(|_| anyhow!("the fallback does not end"))?;
    none_left(|| at_work_in(root), SLACK).await
}

/// Plays a round, and returns the outcome of each question and its time.
async fn play(round: &Round) -> Result<Vec<(String, Duration)>> {
    let (workspace, fallback) = open(&round.plan, Duration::from_millis(400), None)?;
    let asking = join_all(round.questions.iter().enumerate().map(|(n, it)| ask(&fallback, n, *it)));
    let answers = tokio::select! {
        answers = asking => answers,
        never = kill_all(workspace.root(), &round.kills) => match never {},
    };
    end(&fallback, workspace.root()).await?;
    answers.into_iter().collect()
}

async fn ask(
    fallback: &Fallback,
    n: usize,
    (at, drop_after): (Duration, Option<Duration>),
) -> Result<(String, Duration)> {
    sleep(at).await;
    let asked = Instant::now();
    let answer = timeout(drop_after.unwrap_or(DEADLINE + SLACK), put(fallback, n)).await;
    let took = asked.elapsed();
    match (answer, drop_after) {
        (Ok(Ok(outcome)), _) => Ok((outcome, took)),
        (Ok(Err(error)), _) => Ok((format!("{:?}", error.kind), took)),
        (Err(_), Some(_)) => Ok(("dropped".to_owned(), Duration::ZERO)),
        (Err(_), None) => bail!("question {n} has no outcome after {took:?}"),
    }
}

async fn put(fallback: &Fallback, n: usize) -> Result<String, IdeError> {
    let at = Location { path: "src/lib.rs".into(), line: ide_protocol::Line::FIRST, column: None };
    let at = (n % 4 >= 2).then_some(at);
    let target = Target { name: Some("one".into()), at };
    let deadline_ms = u64::try_from(DEADLINE.as_millis()).ok();
    let envelope = Envelope { deadline_ms, ..Envelope::new("s") };
    let (complete, source) = if n.is_multiple_of(2) {
        let request = Request { envelope, question: DefinitionsQuestion::new(target) };
        let answer = fallback.ask(Operation::Definitions, request, Caller::default()).await?;
        (answer.completeness.is_complete(), answer.completeness.source)
    } else {
        let request =
            Request { envelope, question: ReferencesQuestion { target, include_declaration: false } };
        let answer = fallback.ask(Operation::References, request, Caller::default()).await?;
        (answer.completeness.is_complete(), answer.completeness.source)
    };
    Ok(format!("{}{}", source.0, if complete { "" } else { ", not complete" }))
}

/// Kills one life after the other, and then waits for ever.
async fn kill_all(root: &Path, kills: &[(Whom, Duration)]) -> Infallible {
    let mut killed = Vec::new();
    for (whom, after) in kills {
        let is_meant = |it: &Process| whom.is(it) && !killed.contains(&it.id);
        let seen = loop {
            let there: Vec<_> = at_work_in(root).into_iter().filter(is_meant).collect();
            if !there.is_empty() {
                break there;
            }
            sleep(Duration::from_millis(1)).await; // nothing tells when a foreign process begins
        };
        sleep(*after).await;
        seen.iter().for_each(Process::kill);
        killed.extend(seen.iter().map(|it| it.id));
    }
    std::future::pending().await
}
