//! A soak of the fused chain with whichever real language servers are installed:
//!
//! `cargo build -p conformance --bins --features reports && target/debug/soak [--calls 10000] [--kills 20] [--sessions 4] [--seed S]`
//!
//! Exit code 1 when something was not as it must be.

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use conformance::chain::Programs;
use conformance::soak::{Plan, soak};

#[derive(Debug, Parser)]
struct Arguments {
    #[arg(long, default_value_t = 10_000)]
    calls: usize,
    #[arg(long, default_value_t = 20)]
    kills: usize,
    #[arg(long, default_value_t = 4)]
    sessions: usize,
    #[arg(long, default_value_t = 20_261_121)]
    seed: u64,
    /// Keeps everything that is said, to tell of a call that hangs what went before
    #[arg(long)]
    record: bool,
}

fn main() -> Result<ExitCode> {
    let Arguments { calls, kills, sessions, seed, record: records } = Arguments::parse();
    let programs = Programs::beside(&std::env::current_exe()?)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let figures = runtime.block_on(soak(programs, Plan { calls, kills, sessions, seed, records }))?;
    eprintln!("{figures}");
    let complaints = figures.complaints();
    complaints.iter().for_each(|it| eprintln!("wrong: {it}"));
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
