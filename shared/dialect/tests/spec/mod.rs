//! Runs the chapters in `spec/`: each example is a test of its own. `UPDATE_EXPECT=1` accepts the actual
//! outcomes.
//!
//! Each example is also checked against the promises of the language. Programs that are offered run,
//! corrected programs read, and a value printed as a program evaluates to itself.

mod promises;
mod rfc;
mod tree;
pub(crate) mod world;

use std::collections::BTreeSet;
use std::path::Path;

use dialect::{
    Effect, FailureKind, Function, Invocation, Library, Limits, Outcome, Registry, Value, explain,
    print_json, run,
};
use futures::executor::block_on;
use libtest_mimic::{Failed, Trial};
use literate::{Actual, Case, Chapter, chapters};

pub(crate) fn trials() -> Vec<Trial> {
    let mut tests = vec![Trial::test("every kind of failure has a case", every_failure_has_a_case)];
    tests.extend(spec().into_iter().flat_map(|it| it.trials(outcome_of)));
    tests
}

fn spec() -> Vec<Chapter> {
    chapters(&Path::new(env!("CARGO_MANIFEST_DIR")).join("spec"))
}

/// Runs the program of a case, within the limits of the case.
fn outcome_of(case: &Case) -> Actual {
    if let Some(code) = case.input("code") {
        return tree::of(code, &limits(case));
    }
    let Some(program) = case.input("dialect") else {
        return Actual::new("failure", "the case has no program");
    };
    let limits = limits(case);
    let registry = registry(case);
    let outcome = block_on(run(&registry, program, &limits));
    if let Err(broken) = promises::hold(&registry, &outcome, program, &limits) {
        return Actual::new("broken promise", broken);
    }
    if let (Outcome::Success(success), Some("program")) = (&outcome, case.input("as")) {
        return Actual::new("program", print_json(&registry, &success.value));
    }
    let explanation = explain(&outcome, program);
    let kind = match outcome {
        Outcome::Success(_) => "success",
        Outcome::Failure(_) => "failure",
        Outcome::Ambiguity(_) => "ambiguity",
    };
    let note = explanation.note.map(|note| format!("\n// {note}")).unwrap_or_default();
    Actual::new(kind, explanation.text + &note)
}

/// Returns the registry of the case.
fn registry(case: &Case) -> Registry {
    let registry = match case.input("library") {
        Some("rfc") => rfc::registry(),
        Some(other) => panic!("there is no library `{other}`"),
        None => world::registry(),
    };
    let Some(signatures) = case.input("signatures") else { return registry };
    registry.with(echoes(signatures)).expect("the signatures fit")
}

/// Returns functions of these signatures that return their arguments.
fn echoes(signatures: &str) -> Library {
    let echo = |invocation: Invocation| async move { Ok(Value::Object(invocation.arguments.0)) };
    let functions =
        signatures.lines().map(|it| Function::new(it, "What it is given.", echo).effect(Effect::Pure));
    Library { name: "echoes".to_owned(), functions: functions.collect(), ..Library::default() }
}

/// Reads the limits of a case: lines such as `calls 3`.
fn limits(case: &Case) -> Limits {
    let mut limits = Limits::default();
    for line in case.input("limits").unwrap_or_default().lines() {
        let (name, number) = line.split_once(' ').expect("a limit has a number");
        let number = number.parse().expect("a limit is a number");
        match name {
            "source" => limits.source_bytes = number,
            "depth" => limits.depth = number,
            "calls" => limits.calls = number,
            "steps" => limits.steps = number,
            "list" => limits.list_length = number,
            "bytes" => limits.value_bytes = number,
            _ => panic!("there is no limit `{name}`"),
        }
    }
    limits
}

/// Checks that every kind of failure, and every variant of its data, occurs in a chapter.
fn every_failure_has_a_case() -> Result<(), Failed> {
    let source = include_str!("../../src/failure.rs");
    let mut missing: BTreeSet<String> = ["FailureKind", "Expected", "Limit", "Mismatch"]
        .into_iter()
        .flat_map(|it| variants(source, it))
        .collect();
    assert!(missing.len() > 50, "the variants were not found");
    for case in spec().iter().flat_map(Chapter::cases) {
        if let Some(code) = case.input("code") {
            tree::failures(code, &limits(&case)).iter().flat_map(|failure| told(&failure.kind)).for_each(
                |it| {
                    missing.remove(&it);
                },
            );
            continue;
        }
        let program = case.input("dialect").unwrap_or_default();
        if let Outcome::Failure(failures) = block_on(run(&registry(&case), program, &limits(&case))) {
            failures.all.iter().flat_map(|failure| told(&failure.kind)).for_each(|it| {
                missing.remove(&it);
            });
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(Failed::from(format!("no case for {missing:?}"))) }
}

/// Returns `Limit::Depth`, for each variant of an enum in a source text.
fn variants(source: &str, name: &str) -> Vec<String> {
    let (_, rest) = source.split_once(&format!("pub enum {name} {{\n")).expect("there is that enum");
    let (body, _) = rest.split_once("\n}\n").expect("it ends");
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    let variants = lines.filter(|line| line.starts_with(|char: char| char.is_ascii_uppercase()));
    variants.map(|line| format!("{name}::{}", word(line))).collect()
}

fn told(kind: &FailureKind) -> Vec<String> {
    let mut told = vec![format!("FailureKind::{}", word(&format!("{kind:?}")))];
    match kind {
        FailureKind::Unexpected { expected, .. } => {
            told.push(format!("Expected::{}", word(&format!("{expected:?}"))));
        }
        FailureKind::LimitReached { limit, .. } => told.push(format!("Limit::{limit:?}")),
        FailureKind::WrongType { found, .. } => {
            told.push(format!("Mismatch::{}", word(&format!("{found:?}"))));
        }
        _ => {}
    }
    told
}

fn word(text: &str) -> &str {
    text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or(text)
}
