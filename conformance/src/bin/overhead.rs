//! Measures the chain: round trips of tool calls, and memory. Build and run with `--release`, on a quiet machine:
//!
//! `cargo build --release -p conformance --bins --features reports && target/release/overhead [--rounds N] [--calls N]`
//!
//! Times are taken by the agent, one call after the other, in turns of all chains, so that a busy moment hits all.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use conformance::chain::{Programs, Setup, Shape};
use conformance::conversation::Conversation;
use conformance::editor::Answers;
use conformance::workspace::Workspace;
use serde_json::json;

#[derive(Debug, Parser)]
struct Arguments {
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    #[arg(long, default_value_t = 50)]
    calls: usize,
}

/// An editor that answers at once.
const ANSWERS: &str = r#"_ide_operations/lines {"complete": true, "source": "editor", "path": "a.rs", "lineCount": 1, "lines": [{"line": 1, "text": "x"}]}
_editor/echo {"complete": true, "source": "editor", "path": "a.rs", "lineCount": 1, "lines": [{"line": 1, "text": "x"}]}"#;

const EXTENSION: &str = "request _editor/echo {\"path\": \"a.rs\"}";
const NOTHING: &str = "call 1";
const UPSTREAM: &str = "call lines(`a.rs`, 1, 1)";

struct Row {
    name: &'static str,
    shape: Shape,
    mcp: &'static str,
    commands: &'static [&'static str],
}

const ROWS: [Row; 6] = [
    Row {
        name: "client and agent, nothing between",
        shape: Shape::Alone,
        mcp: "none",
        commands: &[EXTENSION],
    },
    Row { name: "the conductor alone", shape: Shape::Unaccompanied, mcp: "none", commands: &[EXTENSION] },
    Row {
        name: "fused, native MCP",
        shape: Shape::Fused,
        mcp: "acp",
        commands: &[EXTENSION, NOTHING, UPSTREAM],
    },
    Row { name: "fused, HTTP", shape: Shape::Fused, mcp: "http", commands: &[EXTENSION, NOTHING, UPSTREAM] },
    Row {
        name: "conducted, native MCP",
        shape: Shape::Conducted,
        mcp: "acp",
        commands: &[EXTENSION, NOTHING, UPSTREAM],
    },
    Row {
        name: "conducted, HTTP",
        shape: Shape::Conducted,
        mcp: "http",
        commands: &[EXTENSION, NOTHING, UPSTREAM],
    },
];

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        times(&arguments).await?;
        memory(Shape::Fused).await?;
        memory(Shape::Conducted).await
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn open(shape: Shape, mcp: &str, workspace: &Workspace) -> Result<Conversation> {
    let mut setup = Setup::new(shape, Programs::beside(&std::env::current_exe()?)?);
    setup.agent = vec!["--mcp".into(), mcp.into()];
    let meta = json!({"ide_operations": true});
    Conversation::open(&setup, workspace.root(), &meta, Answers::parse(ANSWERS)?).await
}

async fn times(arguments: &Arguments) -> Result<()> {
    let workspace = Workspace::new([("a.rs", "x\n")])?;
    let mut chains = Vec::new();
    for row in &ROWS {
        let mut chain = open(row.shape, row.mcp, &workspace).await.context(row.name)?;
        for command in row.commands {
            measure(&mut chain, command, arguments.calls).await.context(row.name)?; // warm
        }
        chains.push((row, chain, vec![Vec::new(); row.commands.len()]));
    }
    for _ in 0..arguments.rounds {
        for (row, chain, samples) in &mut chains {
            for (command, samples) in row.commands.iter().zip(samples) {
                samples.extend(measure(chain, command, arguments.calls).await?);
            }
        }
    }
    eprintln!("round trips in µs, median (95th percentile), of {} each:", arguments.rounds * arguments.calls);
    eprintln!(
        "{:36}{:>18}{:>22}{:>22}",
        "", "extension method", "call, nothing asked", "call, asks upstream"
    );
    for (row, chain, samples) in chains {
        let cells = samples.into_iter().map(|it| format!("{:>20}", cell(it)));
        eprintln!("{:36}{}", row.name, cells.collect::<Vec<_>>().join("  "));
        chain.end().await?;
    }
    Ok(())
}

async fn measure(chain: &mut Conversation, command: &str, n: usize) -> Result<Vec<u64>> {
    let said = chain.play(&format!("time {n} {command}")).await?;
    let times = said.first().ok_or_else(|| anyhow!("`{command}` was not timed"))?;
    times.split(' ').map(|it| it.parse().with_context(|| times.clone())).collect()
}

fn cell(mut nanoseconds: Vec<u64>) -> String {
    nanoseconds.sort_unstable();
    let at = |share: usize| nanoseconds[(nanoseconds.len() - 1) * share / 100] / 1000;
    format!("{} ({})", at(50), at(95))
}

/// Reports the memory of each process: after the session was set up, and after a thousand calls.
async fn memory(shape: Shape) -> Result<()> {
    let workspace = Workspace::new([("a.rs", "x\n")])?;
    let mut chain = open(shape, "http", &workspace).await?;
    chain.play("tools").await?;
    let idle = chain.run().living();
    let idle: Vec<_> = idle.into_iter().map(|it| (it.memory(), it)).collect();
    for _ in 0..20 {
        measure(&mut chain, UPSTREAM, 50).await?;
    }
    eprintln!("\n{shape}: resident memory (proportional share) in MiB, idle and after 1,000 calls:");
    for (before, process) in idle {
        let name = Path::new(process.command.split(' ').next().unwrap_or_default()).file_name();
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        let subcommand = process.command.split(' ').nth(1).unwrap_or_default();
        eprintln!(
            "  {:40}{:>16}{:>16}",
            format!("{name} {subcommand}"),
            mebibytes(before),
            mebibytes(process.memory())
        );
    }
    chain.end().await
}

fn mebibytes((resident, share): (u64, u64)) -> String {
    format!("{:.1} ({:.1})", resident as f64 / 1024.0, share as f64 / 1024.0)
}
