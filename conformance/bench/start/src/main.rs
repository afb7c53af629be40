//! Measures what the compiled-in documents add to the start of a process, and what tables cost afterwards. Each round
//! is a process of its own, since documents are read once in each.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ailang::{Document, Documents, Interface, Strictness, validate_all};
use dialect::{Registry, help};
use futures::FutureExt;
use ide_library::{Answer, Host};
use ide_protocol::Operation;
use serde_json::Value;

const ROUNDS: usize = 41;

/// The most that the documents may add, in microseconds.
const LIMIT: f64 = 5_000.0;

const STEPS: [&str; 6] = [
    "both libraries, the first time (reads the documents)",
    "both libraries, the second time",
    "a registry of them, with help",
    "of the documents: reading",
    "of the documents: validating",
    "of the documents: all that loading does",
];

fn main() {
    if std::env::args().nth(1).as_deref() == Some("once") {
        println!("{}", once().map(|it| it.as_nanos().to_string()).join(" "));
        return;
    }
    let rounds: Vec<Vec<f64>> = (0..ROUNDS).map(|_| round()).collect();
    println!("| step | µs, median of {ROUNDS} processes |\n|---|---:|");
    for (index, step) in STEPS.iter().enumerate() {
        println!("| {step} | {:.0} |", median(&rounds, index));
    }
    // What else runs on the machine only adds to a time.
    let least = rounds.iter().map(|it| it[0]).fold(f64::INFINITY, f64::min);
    assert!(least <= LIMIT, "the documents add {least:.0} µs to the start, and may add {LIMIT}");
}

fn round() -> Vec<f64> {
    let itself = std::env::current_exe().expect("a process has an executable");
    let output = Command::new(itself).arg("once").output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("it prints numbers");
    text.split_whitespace().map(|it| it.parse::<f64>().expect("it is a number") / 1e3).collect()
}

fn median(rounds: &[Vec<f64>], index: usize) -> f64 {
    let mut times: Vec<f64> = rounds.iter().map(|it| it[index]).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn once() -> [Duration; 6] {
    let host: Arc<dyn Host> = Arc::new(Nobody);
    let (first, _) = timed(|| libraries(&host));
    let (second, libraries) = timed(|| libraries(&host));
    let (registry, _) = timed(|| {
        let registry = Registry::new(libraries).expect("they fit");
        registry.with(help(&registry)).expect("they fit")
    });
    let (reading, documents) = timed(documents);
    let (validating, _) = timed(|| validate_all(&documents, Strictness::Normal).len());
    let (loading, _) = timed(|| Interface::load(&self::documents()).expect("they are valid"));
    [first, second, registry, reading, validating, loading]
}

fn libraries(host: &Arc<dyn Host>) -> [dialect::Library; 2] {
    [ide_library::library(Arc::clone(host)), core_library::library()]
}

fn documents() -> Documents {
    let mut documents = Documents::new();
    for (path, text) in [
        ("core.md", include_str!("../../../../shared/core-library/interface/core.md")),
        ("ide.md", include_str!("../../../../shared/ide-library/interface/ide.md")),
    ] {
        documents.insert(path, Document::parse(text));
    }
    documents
}

fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let value = run();
    (start.elapsed(), value)
}

/// Never answers.
struct Nobody;

impl Host for Nobody {
    fn send(&self, _: Operation, _: Value) -> Answer<'_, Value> {
        std::future::pending().boxed()
    }
}
