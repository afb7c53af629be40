//! `search` beside ripgrep, on fifty thousand files.

use std::process::ExitCode;

use serde_json::Value;

use crate::run::{Run, figures, in_turns, median, ms, ripgrep, run, run_with_background};
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

/// The most time that counting takes in the whole chain with its start, as users have it, as a multiple of `rg -c`.
const FACTOR: f64 = 0.95;

/// The most memory that a search may take, however much there is to find, in MiB.
const MEMORY: f64 = 100.0;

/// Prints a table; fails where counting takes longer than it may, finds something else, or memory grows with the hits.
pub fn measure() -> ExitCode {
    let (tree, size) = tree::of("files", |it| it.files >= FILES);
    println!("{} files, {} lines of Rust; medians of {ROUNDS}: ms, ms, MiB\n", size.files, size.lines);
    println!("| pattern | lines | who | wall | CPU | peak |\n|---|---:|---|---:|---:|---:|");
    let faults: Vec<_> = PATTERNS.iter().flat_map(|it| rows(&tree.to_string_lossy(), it)).collect();
    tree::remove(&tree);
    // Behind the table, which ends where another line begins.
    faults.iter().for_each(|it| println!("\n{it}"));
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the rows of a pattern, and returns what does not hold.
fn rows(tree: &str, pattern: &str) -> Vec<String> {
    let (itself, ripgrep) = (std::env::current_exe().expect("a process has an executable"), ripgrep());
    // The paths of sockets are short.
    let run_folder = std::env::temp_dir().join(format!("large-{}", std::process::id()));
    std::fs::create_dir_all(&run_folder).expect("a folder for the socket");
    let chain =
        |program: &str| run_with_background(&itself, &["eval", "--workspace", tree, program], &run_folder);
    let counting = ["--no-config", "--no-require-git", "-c", "--no-filename", "-e", pattern, tree];
    let printing = ["--no-config", "--no-require-git", "-n", "--column", "-e", pattern, tree];
    let shows = format!("search(`.`, `{pattern}`)");
    let counts = format!("{shows}.count()");
    let runs = in_turns(
        ROUNDS,
        &[
            &|| run(&ripgrep, &counting),
            &|| run(&ripgrep, &printing),
            &|| run(&itself, &["question-search", tree, pattern]),
            &|| chain(&counts),
            &|| chain(&shows),
            &|| run(&itself, &["eval", "--workspace", tree, &counts]),
        ],
    );
    run_with_background(&itself, &["server", "stop"], &run_folder);
    let expected: u64 = runs[0][0].output.lines().filter_map(|it| it.parse::<u64>().ok()).sum();
    let found = total(&runs[2][0]);
    let names = [
        "rg -c",
        "rg -n",
        "search",
        "the whole chain, counting",
        "the whole chain, showing hits",
        "counting without the background process",
    ];
    for (name, runs) in names.iter().zip(&runs) {
        println!("| `{}` | {expected} | {name} | {} |", pattern.replace('|', "\\|"), figures(runs));
    }
    let wall = |index: usize| median(&runs[index], |it| ms(it.wall));
    let peak = median(&runs[2], |it| it.peak as f64 / 1024.0 / 1024.0);
    let faults = [
        (found != Some(expected), format!("found {found:?} lines, ripgrep {expected}")),
        (wall(3) > wall(0) * FACTOR, format!("more than {FACTOR} of the time of `rg -c`")),
        (peak > MEMORY, format!("took {peak:.0} MiB")),
    ];
    let missed = faults.into_iter().filter(|it| it.0);
    missed.map(|(_, fault)| format!("`{pattern}`: {fault}")).collect()
}

fn total(run: &Run) -> Option<u64> {
    serde_json::from_str::<Value>(&run.output).ok()?["total"].as_u64()
}
