//! `search` beside ripgrep, on fifty thousand files.

use std::process::ExitCode;

use serde_json::Value;

use crate::run::{Run, figures, in_turns, median, ms, ripgrep, run};
use crate::tree;

const FILES: usize = 50_000;
const ROUNDS: usize = 7;

/// From few hits to very many.
const PATTERNS: [&str; 6] = [
    "fn spawn_blocking",
    r"\b(fn|struct|enum|trait)\s+Builder\b",
    "unsafe impl<[A-Z]",
    "(?i)deadlock",
    r"\bself\b",
    "e",
];

/// The time allowed on top of ripgrep's: the machine's noise.
const TOLERANCE: f64 = 1.05;

/// The most memory that a search may take, however much there is to find, in MiB.
const MEMORY: f64 = 100.0;

/// Prints a table; fails where ripgrep is faster, finds something else, or memory grows with the hits.
pub fn measure() -> ExitCode {
    let (tree, size) = tree::of("files", |it| it.files >= FILES);
    println!("{} files, {} lines of Rust; medians of {ROUNDS}: ms, ms, MiB\n", size.files, size.lines);
    println!("| pattern | lines | who | wall | CPU | peak |\n|---|---:|---|---:|---:|---:|");
    let mut is_good = true;
    for pattern in PATTERNS {
        is_good &= row(&tree.to_string_lossy(), pattern);
    }
    tree::remove(&tree);
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn row(tree: &str, pattern: &str) -> bool {
    let (itself, ripgrep) = (std::env::current_exe().expect("a process has an executable"), ripgrep());
    let counting = ["--no-config", "--no-require-git", "-c", "--no-filename", "-e", pattern, tree];
    let printing = ["--no-config", "--no-require-git", "-n", "--column", "-e", pattern, tree];
    let program = format!("search(`.`, `{pattern}`).count()");
    let runs = in_turns(
        ROUNDS,
        &[
            &|| run(&ripgrep, &counting),
            &|| run(&ripgrep, &printing),
            &|| run(&itself, &["question-search", tree, pattern]),
            &|| run(&itself, &["eval", "--workspace", tree, &program]),
        ],
    );
    let expected: u64 = runs[0][0].output.lines().filter_map(|it| it.parse::<u64>().ok()).sum();
    let found = total(&runs[2][0]);
    let names = ["rg -c", "rg -n", "search", "search, the whole chain from its start"];
    for (name, runs) in names.iter().zip(&runs) {
        println!("| `{}` | {expected} | {name} | {} |", pattern.replace('|', "\\|"), figures(runs));
    }
    let wall = |index: usize| median(&runs[index], |it| ms(it.wall));
    let peak = median(&runs[2], |it| it.peak as f64 / 1024.0 / 1024.0);
    let faults = [
        (found != Some(expected), format!("found {found:?} lines, ripgrep {expected}")),
        (wall(2) > wall(0).min(wall(1)) * TOLERANCE, "slower than ripgrep".to_owned()),
        (peak > MEMORY, format!("took {peak:.0} MiB")),
    ];
    for (_, fault) in faults.iter().filter(|it| it.0) {
        println!("\n`{pattern}`: {fault}\n");
    }
    !faults.iter().any(|it| it.0)
}

fn total(run: &Run) -> Option<u64> {
    serde_json::from_str::<Value>(&run.output).ok()?["total"].as_u64()
}
