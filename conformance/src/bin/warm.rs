//! Measures warm questions beside the language server itself. Build and run with `--release`:
//!
//! `cargo build --release -p conformance --bins --features reports && target/release/warm rust=DIR python=DIR typescript=DIR`
//!
//! Each folder is copied. Definitions, asked at uses, and references, asked at definitions, of names from a seeded
//! draw: of the server by a client of our own, of the fallback in this process, and as a program through `dialect
//! agent`, where the agent measures. They are asked in turns, so that a busy moment hits all, and each some times in a row.
//! The first time is of servers that are warm; all later times are *again*. Before a first time everyone rests a moment: what
//! another still does for its last question would take a processor from this one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use adapter::fallback::{Caller, Config, Fallback};
use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use conformance::chain::{Programs, Setup, Shape};
use conformance::conversation::Conversation;
use conformance::editor::Answers;
use conformance::raw_client::{Place, RawClient, Start};
use conformance::sample::{self, Kind};
use conformance::workspace::Workspace;
use ide_protocol::{
    Column, DefinitionsQuestion, Line, Location, Operation, ReferencesQuestion, Request, Target,
};
use serde_json::{Value, json};

#[derive(Debug, Parser)]
struct Arguments {
    /// `LANGUAGE=FOLDER`; without any, a dependency of this workspace
    projects: Vec<String>,
    /// How many names
    #[arg(long, default_value_t = 50)]
    names: usize,
    /// How many rounds after the first
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    #[arg(long, default_value_t = 20_261_121)]
    seed: u64,
}

/// A way to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Raw,
    Fallback,
    Program,
}

/// The number of times that each is asked in a row.
const IN_A_ROW: usize = 5;

/// The rest before a question is asked for the first time.
const REST: Duration = Duration::from_millis(100);

const WAYS: [Way; 3] = [Way::Raw, Way::Fallback, Way::Program];

/// One question, in the words of each way.
struct Question {
    kind: &'static str,
    at: Place,
}

/// Everyone who can be asked about one project.
struct Bench {
    raw: RawClient,
    fallback: Fallback,
    chain: Conversation,
}

/// Measurements: times in each round, and the size of the first answers.
type Samples = BTreeMap<(&'static str, bool, Way), Vec<(Duration, usize)>>;

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Runtime::new()?;
    let projects = match arguments.projects.as_slice() {
        [] => vec![("rust".to_owned(), None)],
        some => some.iter().map(|it| split(it)).collect::<Result<_>>()?,
    };
    for (language, folder) in projects {
        let kind = Kind::of(&language).ok_or_else(|| anyhow!("`{language}` is not prepared"))?;
        let workspace = match &folder {
            Some(folder) => sample::copy_of_folder(folder, kind)?,
            None => sample::copy_of("agent-client-protocol")?,
        };
        let name = folder.as_deref().and_then(Path::file_name).unwrap_or("agent-client-protocol".as_ref());
        let name = name.display().to_string();
        measure(&arguments, &runtime, kind, &workspace, &name).with_context(|| name.clone())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn split(project: &str) -> Result<(String, Option<PathBuf>)> {
    let (language, folder) =
        project.split_once('=').ok_or_else(|| anyhow!("not LANGUAGE=FOLDER: {project}"))?;
    Ok((language.to_owned(), Some(folder.into())))
}

fn measure(
    arguments: &Arguments,
    runtime: &tokio::runtime::Runtime,
    kind: &'static Kind,
    workspace: &Workspace,
    name: &str,
) -> Result<()> {
    let root = workspace.root();
    let mut drawing = RawClient::start_as(start(kind, root)?, root)?;
    let questions = questions(arguments, kind, root, &mut drawing)?;
    drop(drawing); // the one that is measured has not heard the questions yet either
    let mut raw = RawClient::start_as(start(kind, root)?, root)?;
    let files: BTreeSet<_> = questions.iter().map(|it| &it.at.0).collect();
    for file in files.into_iter().filter(|_| kind.opens) {
        raw.open(file, kind.document)?;
    }
    let mut bench = open(runtime, raw, root)?;
    warm_up(&mut bench, runtime, kind, &questions)?;
    let mut samples = Samples::new();
    for round in 0..=arguments.rounds {
        for question in &questions {
            for way in WAYS {
                if round == 0 {
                    std::thread::sleep(REST);
                }
                for (index, sample) in runtime.block_on(bench.ask(way, question))?.into_iter().enumerate() {
                    samples.entry((question.kind, round + index == 0, way)).or_default().push(sample);
                }
            }
        }
    }
    report(kind, name, root, samples);
    runtime.block_on(bench.fallback.shutdown());
    runtime.block_on(bench.chain.end())
}

/// The server's command, as the fallback would find it.
fn start(kind: &Kind, root: &Path) -> Result<Start> {
    let options = if kind.language == "rust" { conformance::raw_client::options(root) } else { json!({}) };
    let program = if kind.language == "rust" {
        let output = std::process::Command::new("rustup")
            .args(["which", "rust-analyzer"])
            .current_dir("/")
            .output()
            .context("no rustup")?;
        PathBuf::from(String::from_utf8(output.stdout)?.trim())
    } else {
        PathBuf::from(kind.server[0])
    };
    let args = kind.server[1..].iter().map(|it| (*it).to_owned()).collect();
    Ok(Start { program, args, options, says_status: kind.language == "rust" })
}

fn open(runtime: &tokio::runtime::Runtime, raw: RawClient, root: &Path) -> Result<Bench> {
    let programs = Programs::beside(&std::env::current_exe()?)?;
    let fallback = Fallback::new(Config::new(programs.path("dialect-under-test")));
    {
        let _in_runtime = runtime.enter();
        fallback.open_session("s", vec![root.to_owned()]);
    }
    let mut setup = Setup::new(Shape::Fused, programs);
    // As users have it, with a background process that ends with the chain.
    setup.environment.push(("DIALECT_TEXT_AGE".into(), "200".into()));
    setup.environment.push(("DIALECT_SERVER_IDLE".into(), "0".into()));
    let chain = runtime.block_on(Conversation::open(&setup, root, &json!({}), Answers::default()))?;
    Ok(Bench { raw, fallback, chain })
}

/// Definitions asked where a name is used, and references where it is defined, which the server can answer.
fn questions(
    arguments: &Arguments,
    kind: &'static Kind,
    root: &Path,
    raw: &mut RawClient,
) -> Result<Vec<Question>> {
    let mut questions = Vec::new();
    let mut opened = BTreeSet::new();
    let mut warmed = 0;
    for drawn in sample::used(root, kind, arguments.seed)? {
        for place in [&drawn.at, &drawn.used_at] {
            if opened.insert(place.0.clone()) && kind.opens {
                raw.open(&place.0, kind.document)?;
            }
        }
        // Not among what is measured first: the server is to be warm.
        let is_answered = answer(raw, "textDocument/definition", &drawn.used_at)?.is_some()
            && (warmed > 0 || answer(raw, "textDocument/references", &drawn.at)?.is_some());
        if !is_answered {
            continue;
        }
        warmed += 1;
        questions.push(Question { kind: "definitions", at: drawn.used_at });
        questions.push(Question { kind: "references", at: drawn.at });
        if questions.len() == 2 * arguments.names {
            return Ok(questions);
        }
    }
    bail!("only {} names have answers", questions.len() / 2)
}

/// Returns the server's answer, if there is any.
fn answer(raw: &mut RawClient, method: &str, at: &Place) -> Result<Option<Value>> {
    let mut params = raw.position(at)?;
    params["context"] = json!({"includeDeclaration": false});
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        if let Ok(answer) = raw.ask(method, params.clone())? {
            let is_empty = answer.is_null() || answer.as_array().is_some_and(Vec::is_empty);
            return Ok((!is_empty).then_some(answer));
        }
    }
    bail!("{at:?} was never answered")
}

/// Waits until everyone is ready.
fn warm_up(
    bench: &mut Bench,
    runtime: &tokio::runtime::Runtime,
    kind: &Kind,
    questions: &[Question],
) -> Result<()> {
    for question in &questions[..2] {
        answer(&mut bench.raw, &format!("textDocument/{}", lsp_name(question.kind)), &question.at)?;
        for way in WAYS {
            runtime
                .block_on(bench.ask(way, question))
                .with_context(|| format!("{}, {way:?}", kind.language))?;
        }
        let program = program(question);
        let said = runtime.block_on(bench.chain.call_when_ready(&program))?;
        if said.text.starts_with("failure: ") {
            bail!("`{program}` fails: {}", said.text);
        }
    }
    Ok(())
}

fn program(question: &Question) -> String {
    let (path, line, column) = &question.at;
    match question.kind {
        "definitions" => format!("findDefinitions(`{path}:{line}:{column}`)"),
        _ => format!("findReferences(`{path}:{line}:{column}`)"),
    }
}

impl Bench {
    /// Asks [`IN_A_ROW`] times. Returns the time of each, and the size of the answer.
    async fn ask(&mut self, way: Way, question: &Question) -> Result<Vec<(Duration, usize)>> {
        if way == Way::Program {
            let program = program(question);
            let said = self.chain.play(&format!("time {IN_A_ROW} call {program}")).await?;
            let times = said.first().context("the calls were not timed")?;
            let times = times.split(' ').map(|it| Ok(Duration::from_nanos(it.parse()?)));
            let times = times.collect::<Result<Vec<_>>>()?;
            let said = self.chain.call(&program).await?;
            let bytes = said.text.len() + said.notes.iter().map(String::len).sum::<usize>();
            return Ok(times.into_iter().map(|it| (it, bytes)).collect());
        }
        let mut samples = Vec::new();
        for _ in 0..IN_A_ROW {
            let started = Instant::now();
            let bytes = match way {
                Way::Raw => {
                    let mut params = self.raw.position(&question.at)?;
                    params["context"] = json!({"includeDeclaration": false});
                    let answer =
                        self.raw.ask(&format!("textDocument/{}", lsp_name(question.kind)), params)?;
                    answer.map_or(0, |it| it.to_string().len())
                }
                _ => self.fall_back(question).await?.to_string().len(),
            };
            samples.push((started.elapsed(), bytes));
        }
        Ok(samples)
    }

    async fn fall_back(&self, question: &Question) -> Result<Value> {
        let (path, line, column) = question.at.clone();
        let line = Line::new(u32::try_from(line)?).ok_or_else(|| anyhow!("lines count from 1"))?;
        let at = Location { path, line, column: Column::new(u32::try_from(column)?) };
        let target = Target { name: None, at: Some(at) };
        let answer = if question.kind == "definitions" {
            let request = Request::new("s", DefinitionsQuestion::new(target));
            self.fallback
                .ask(Operation::Definitions, request, Caller::default())
                .await
                .map(serde_json::to_value)
        } else {
            let include_declaration = false;
            let request = Request::new("s", ReferencesQuestion { target, include_declaration });
            self.fallback
                .ask(Operation::References, request, Caller::default())
                .await
                .map(serde_json::to_value)
        };
        Ok(answer.map_err(|error| anyhow!("{:?}: {}", question.at, error.message))??)
    }
}

fn lsp_name(kind: &str) -> &str {
    if kind == "definitions" { "definition" } else { kind }
}

fn report(kind: &Kind, name: &str, root: &Path, samples: Samples) {
    eprintln!(
        "\n{name}, {} files of {}; ms, median (95th percentile):",
        sample::n_files(root, kind),
        kind.language
    );
    eprintln!("{:34}{:>18}{:>18}{:>18}   bytes", "", "server alone", "fallback", "program");
    for what in ["definitions", "references"] {
        for is_first in [true, false] {
            let cells = WAYS.map(|way| cell(&samples[&(what, is_first, way)]));
            let bytes = WAYS.map(|way| bytes(&samples[&(what, is_first, way)]));
            let round = if is_first { "the first time" } else { "again" };
            eprintln!(
                "{:34}{:>18}{:>18}{:>18}   {bytes:?}",
                format!("{what}, {round}"),
                cells[0],
                cells[1],
                cells[2]
            );
        }
    }
}

fn cell(samples: &[(Duration, usize)]) -> String {
    let mut times: Vec<_> = samples.iter().map(|(time, _)| time.as_secs_f64() * 1000.0).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    format!("{:.2} ({:.2})", at(50), at(95))
}

/// The median.
fn bytes(samples: &[(Duration, usize)]) -> usize {
    let mut sizes: Vec<_> = samples.iter().map(|it| it.1).collect();
    sizes.sort_unstable();
    sizes[sizes.len() / 2]
}
