//! Are the references that the chain answers those that a raw `textDocument/references` gives?
//!
//! `equality [--crate NAME] [--names N] [--seed S] [--shapes fused,conducted]`: a copy of a real crate, names from a
//! seeded draw, a raw client and then each chain. Exit code 1 when any answer differs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use clap::Parser;
use conformance::chain::{Programs, Setup, Shape};
use conformance::conversation::{Conversation, Said};
use conformance::editor::Answers;
use conformance::places::places;
use conformance::raw_client::{Place, RawClient};
use conformance::sample::{self, Drawn};
use conformance::workspace::Workspace;
use regex::Regex;
use serde_json::json;

#[derive(Debug, Parser)]
struct Arguments {
    /// A dependency of this workspace, with at least 10,000 lines
    #[arg(long = "crate", default_value = "agent-client-protocol")]
    dependency: String,
    #[arg(long, default_value_t = 50)]
    names: usize,
    #[arg(long, default_value_t = 20_261_121)]
    seed: u64,
    #[arg(long, value_delimiter = ',', default_value = "fused,conducted")]
    shapes: Vec<Shape>,
}

type References = Vec<BTreeSet<Place>>;

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let workspace = sample::copy_of(&arguments.dependency)?;
    let n_lines = sample::n_lines(workspace.root());
    eprintln!("{}: {n_lines} lines", arguments.dependency);
    if n_lines < 10_000 {
        bail!("a crate of {n_lines} lines proves little; take one of 10,000 or more");
    }
    let drawn = sample::draw(workspace.root(), arguments.seed)?;
    let (drawn, raw) = ask_raw(&workspace, drawn, arguments.names)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut n_different = 0;
    for shape in &arguments.shapes {
        n_different += runtime.block_on(compare(*shape, &workspace, &drawn, &raw))?;
    }
    Ok(if n_different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The first `n` that the server knows, and what it says about them.
fn ask_raw(workspace: &Workspace, drawn: Vec<Drawn>, n: usize) -> Result<(Vec<Drawn>, References)> {
    let started = Instant::now();
    let mut client = RawClient::start(&rust_analyzer()?, workspace.root())?;
    let ready = started.elapsed();
    let (mut known, mut n_unknown) = (Vec::new(), 0);
    for drawn in drawn {
        match client.is_defined(&drawn.at)? {
            _ if known.len() == n => break,
            true => known.push(drawn),
            false => n_unknown += 1,
        }
    }
    if known.len() < n {
        bail!("only {} of the definitions are known to the server", known.len());
    }
    let places: Vec<Place> = known.iter().map(|it| it.at.clone()).collect();
    let raw = client.references(&places)?;
    let (n_places, n_empty) =
        (raw.iter().map(BTreeSet::len).sum::<usize>(), raw.iter().filter(|it| it.is_empty()).count());
    eprintln!(
        "raw client: quiescent after {ready:.1?}, {} names in {:.1?}: {n_places} references, {n_empty} names without \
         any; {} answers changed from one round to the next; {n_unknown} drawn definitions are in code that is not \
         loaded",
        known.len(),
        started.elapsed(),
        client.n_unsettled,
    );
    Ok((known, raw))
}

/// The real program, asked for outside of any workspace.
fn rust_analyzer() -> Result<PathBuf> {
    let output =
        std::process::Command::new("rustup").args(["which", "rust-analyzer"]).current_dir("/").output();
    match output {
        Ok(output) if output.status.success() => Ok(String::from_utf8(output.stdout)?.trim().into()),
        _ => Err(anyhow!("no rust-analyzer: rustup component add rust-analyzer rust-src")),
    }
}

async fn compare(shape: Shape, workspace: &Workspace, drawn: &[Drawn], raw: &References) -> Result<usize> {
    let programs = Programs::beside(&std::env::current_exe()?)?;
    let setup = Setup::new(shape, programs);
    let started = Instant::now();
    let mut chain = Conversation::open(&setup, workspace.root(), &json!({}), Answers::default()).await?;
    let mut tally = Tally::default();
    for (drawn, raw) in drawn.iter().zip(raw) {
        let (program, said) = ask(&mut chain, drawn).await?;
        tally.count(&program, raw, &said, workspace.root());
    }
    eprintln!("{shape}: {tally:?} in {:.1?}", started.elapsed());
    chain.end().await?;
    Ok(tally.n_different)
}

/// By its bare name where there is no other, else pinned to its place.
async fn ask(chain: &mut Conversation, drawn: &Drawn) -> Result<(String, Said)> {
    let Drawn { name, at: (path, line, _), is_unique } = drawn;
    if *is_unique {
        let program = format!("findReferences(findDefinition(`{name}`))");
        let said = chain.call_when_ready(&program).await?;
        if !said.text.contains("If you meant") {
            return Ok((program, said));
        }
    }
    let program = format!("findReferences(symbol(`{name}`, path=`{path}`, line={line}))");
    let said = chain.call_when_ready(&program).await?;
    Ok((program, said))
}

#[derive(Debug, Default)]
struct Tally {
    n_equal: usize,
    /// Equal as far as the answer was shown, and in its total.
    n_equal_and_cut: usize,
    /// The raw client got nothing, and the chain said so rather than `[]`, or both.
    n_both_without: usize,
    n_incomplete: usize,
    n_references: usize,
    n_different: usize,
}

impl Tally {
    fn count(&mut self, program: &str, raw: &BTreeSet<Place>, said: &Said, root: &Path) {
        self.n_references += raw.len();
        self.n_incomplete += usize::from(said.notes.iter().any(|it| it.contains("not complete")));
        let Some(places) = places(&said.text) else {
            match raw.is_empty() && said.text.starts_with("failure: ") {
                true => self.n_both_without += 1,
                false => self.differs(program, &format!("{} references raw; said: {}", raw.len(), said.text)),
            }
            return;
        };
        let total = total(said).unwrap_or(places.len());
        let shown: BTreeSet<Place> = places.iter().cloned().collect();
        let expected: BTreeSet<Place> = match total == places.len() {
            true => raw.clone(),
            false => raw.iter().filter(|it| shown.contains(*it)).cloned().collect(),
        };
        if shown == expected && total == raw.len() {
            match (total == places.len(), raw.is_empty()) {
                (false, _) => self.n_equal_and_cut += 1,
                (true, true) => self.n_both_without += 1,
                (true, false) => self.n_equal += 1,
            }
            return;
        }
        let missing: Vec<_> = raw.difference(&shown).collect();
        let surplus: Vec<_> = shown.difference(raw).collect();
        let root = root.display();
        self.differs(
            program,
            &format!("raw {}, said {total}; missing {missing:?}; surplus {surplus:?} ({root})", raw.len()),
        );
    }

    fn differs(&mut self, program: &str, how: &str) {
        self.n_different += 1;
        eprintln!("DIFFERS {program}\n  {how}");
    }
}

/// Returns the number of all results, if not all of them are shown.
fn total(said: &Said) -> Option<usize> {
    let pattern = Regex::new(r"has (\d+) items, of which the first \d+ are shown").expect("written here");
    said.notes.iter().find_map(|it| pattern.captures(it)?[1].parse().ok())
}
