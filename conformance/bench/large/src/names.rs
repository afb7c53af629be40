//! Questions about names where no server answers: without the index, with that of an earlier process, and with its own.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use crate::run::{Run, in_turns, median, run};
use crate::tree;

const LINES: usize = 1_000_000;
const ROUNDS: usize = 5;

/// A question and the name that it is about.
const QUESTIONS: [(&str, &str); 6] = [
    ("symbols", "BytesMut"),
    ("symbols", "builder"),
    ("symbols", "btsmt"),
    ("near", "IntoRespnse"),
    ("implementations", "Stream"),
    ("implementations", "IntoResponse"),
];

/// Prints a table; fails where a question that has an index answers otherwise, or takes longer than without.
pub fn measure() -> ExitCode {
    let (tree, size) = tree::of("lines", |it| it.lines >= LINES);
    let (kept, none) = (tree.with_extension("kept"), tree.with_extension("none"));
    println!("{} files, {} lines of Rust; medians of {ROUNDS}: ms, MiB\n", size.files, size.lines);
    println!(
        "| question | found | nothing known | index from disk | warm | peak |\n|---|---:|---:|---:|---:|---:|"
    );
    let mut is_good = true;
    for (what, name) in QUESTIONS {
        is_good &= row(&tree, &kept, &none, what, name);
    }
    tree::remove(&tree);
    [kept, none].iter().filter(|it| it.exists()).for_each(|it| tree::remove(it));
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn row(tree: &Path, kept: &Path, none: &Path, what: &str, name: &str) -> bool {
    let itself = std::env::current_exe().expect("a process has an executable");
    let ask = |store: &Path, is_warm: &str| {
        run(
            &itself,
            &["question-names", &tree.to_string_lossy(), &store.to_string_lossy(), what, name, is_warm],
        )
    };
    let cold = || {
        let _was_not_there = fs::remove_dir_all(none);
        ask(none, "cold")
    };
    // The first one of all makes the index of those after it.
    let runs = in_turns(ROUNDS, &[&|| ask(kept, "warm"), &cold, &|| ask(kept, "cold")]);
    let figure = |runs: &[Run], key: &str| median(runs, |it| read(it)[key].as_f64().unwrap_or(f64::NAN));
    let (warm, without, with) =
        (figure(&runs[0], "warm"), figure(&runs[1], "first"), figure(&runs[2], "first"));
    let found = |index: usize| read(&runs[index][0])["found"].clone();
    let peak = median(&runs[0], |it| it.peak as f64 / 1024.0 / 1024.0);
    println!("| {what} `{name}` | {} | {without:.0} | {with:.0} | {warm:.1} | {peak:.0} |", found(2));
    let is_same = found(0) == found(2) && found(2).as_u64() >= found(1).as_u64();
    if !is_same {
        println!("\n{what} `{name}`: found {}, {}, {}\n", found(1), found(2), found(0));
    }
    is_same && warm < without && with < without
}

fn read(run: &Run) -> Value {
    serde_json::from_str(&run.output).unwrap_or_default()
}
