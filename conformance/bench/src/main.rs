//! Compares Dialect with other languages that a Rust program can embed: the same five tasks over the same input. Each
//! round goes through all languages, from source text to the answer's JSON text.

mod dialect;
mod jaq;
mod rhai;
mod starlark;
mod tasks;

use std::time::{Duration, Instant};

use serde_json::Value;
use tasks::{Language, TASKS, Task};

const ROUNDS: usize = 1_000;

/// A language with everything set up that does not depend on the program.
trait Peer {
    /// Reads the program and runs it; its answer as JSON text.
    fn answer(&self, program: &str) -> String;
}

fn main() {
    let input = include_str!("../definitions.json");
    let peers: Vec<(&str, Language, Box<dyn Peer>)> = vec![
        ("dialect", Language::Dialect, Box::new(dialect::Dialect::new(input))),
        ("jaq", Language::Jaq, Box::new(jaq::Jaq::new(input))),
        ("jaq, bare", Language::Jaq, Box::new(jaq::Jaq::bare(input))),
        ("rhai", Language::Rhai, Box::new(rhai::Rhai::new(input))),
        ("starlark", Language::Starlark, Box::new(starlark::Starlark::new(input))),
    ];
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_ref().is_none_or(|only| name == only);
    let names: Vec<_> = peers.iter().map(|it| it.0).filter(|name| wanted(name)).collect();
    println!("| µs, median of {ROUNDS} | {} |", names.join(" | "));
    println!("|---|{}", "---:|".repeat(names.len()));
    for task in TASKS {
        let mut times = vec![Vec::with_capacity(ROUNDS); names.len()];
        for _ in 0..ROUNDS {
            let running = peers.iter().filter(|it| wanted(it.0));
            for ((name, language, peer), times) in running.zip(&mut times) {
                times.push(timed(task, name, *language, peer.as_ref()));
            }
        }
        let medians = times.into_iter().map(|it| format!("{:.1}", median(it).as_secs_f64() * 1e6));
        println!("| {} | {} |", task.name, medians.collect::<Vec<_>>().join(" | "));
    }
}

/// One run; the answer is compared after the clock has stopped.
fn timed(task: &Task, name: &str, language: Language, peer: &dyn Peer) -> Duration {
    let program = task.program(language);
    let start = Instant::now();
    let answer = peer.answer(program);
    let time = start.elapsed();
    let expected: Value = serde_json::from_str(task.answer).expect("an answer is JSON");
    let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
    assert_eq!(answer, expected, "{} in {name}", task.name);
    time
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
