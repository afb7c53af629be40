//! A definition from a cold process without a language server, beside ripgrep's count of the same word, on a million
//! lines.

use std::process::ExitCode;

use serde_json::Value;

use crate::run::{figures, in_turns, median, ms, ripgrep, run};
use crate::tree;

const LINES: usize = 1_000_000;
const ROUNDS: usize = 15;

/// The limit as a multiple of the time that ripgrep's count takes.
const FACTOR: f64 = 2.0;

/// The numbers of occurrences of the tree's first words, from a few to thousands.
const NAMES: [&str; 5] = ["BytesMut", "IntoResponse", "Builder", "Parser", "Error"];

/// Prints a table; fails where it takes more than twice as long as ripgrep, or finds nothing.
pub fn measure() -> ExitCode {
    let (tree, size) = tree::of("lines", |it| it.lines >= LINES);
    println!("{} files, {} lines of Rust; medians of {ROUNDS}: ms, ms, MiB\n", size.files, size.lines);
    println!("| name | definitions | who | wall | CPU | peak |\n|---|---:|---|---:|---:|---:|");
    let mut is_good = true;
    for name in NAMES {
        is_good &= row(&tree.to_string_lossy(), name);
    }
    tree::remove(&tree);
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn row(tree: &str, name: &str) -> bool {
    let (itself, ripgrep) = (std::env::current_exe().expect("a process has an executable"), ripgrep());
    let counting = ["--no-config", "-c", "-w", name, tree];
    let program = format!("findDefinitions(`{name}`).count()");
    let runs = in_turns(
        ROUNDS,
        &[
            &|| run(&ripgrep, &counting),
            &|| run(&itself, &["question-definition", tree, name]),
            &|| run(&itself, &["eval", "--workspace", tree, &program]),
            &|| run(&itself, &["eval", "--workspace", tree, "1"]),
        ],
    );
    let answer: Value = serde_json::from_str(&runs[1][0].output).unwrap_or_default();
    let definitions = answer["definitions"].as_u64().unwrap_or_default();
    let names =
        ["rg -c -w", "the question in a process", "the whole chain from its start", "the same, asked `1`"];
    for (who, runs) in names.iter().zip(&runs) {
        println!("| `{name}` | {definitions} | {who} | {} |", figures(runs));
    }
    let question = median(&runs[1], |it| {
        serde_json::from_str::<Value>(&it.output).ok().and_then(|it| it["ms"].as_f64()).unwrap_or(f64::NAN)
    });
    println!("| `{name}` | | the question alone | {question:.0} | | |");
    let wall = |index: usize| median(&runs[index], |it| ms(it.wall));
    let is_found = definitions > 0
        && answer["source"] == "syntax"
        && runs[2][0].output.trim() == definitions.to_string();
    if !is_found {
        println!("\n`{name}`: answered {} and {}\n", runs[1][0].output.trim(), runs[2][0].output.trim());
    }
    let factor = wall(2) / wall(0);
    println!("| `{name}` | | the whole, in times of ripgrep | {factor:.2} | | |");
    is_found && factor <= FACTOR
}
