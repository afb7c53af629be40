//! Runs the chapters in `spec/`: each example is a test. `UPDATE_EXPECT=1` accepts the new output.
//!
//! Each example also has to keep the promises of the library. A suggested program has a value, a printed
//! result evaluates to itself, and each function has a case.

mod coverage;
mod promises;
mod world;

use std::path::Path;

use dialect::{Limits, Outcome, explain, run};
use futures::executor::block_on;
use libtest_mimic::{Failed, Trial};
use literate::{Actual, Case, Chapter, chapters};

pub(crate) fn trials() -> Vec<Trial> {
    let mut tests = vec![
        Trial::test("everything has a case", coverage::everything_has_a_case),
        Trial::test("every habit leads to a program", coverage::every_habit_leads_to_a_program),
        Trial::test("the examples of every function read", examples_read),
    ];
    tests.extend(spec().into_iter().flat_map(|it| it.trials(outcome_of)));
    tests
}

fn spec() -> Vec<Chapter> {
    chapters(&Path::new(env!("CARGO_MANIFEST_DIR")).join("spec"))
}

fn all_cases() -> Vec<Case> {
    spec().iter().flat_map(Chapter::cases).collect()
}

/// Reads a block `limits` with lines such as `list 5`.
fn limits(case: &Case) -> Limits {
    let mut limits = Limits::default();
    for line in case.input("limits").unwrap_or_default().lines() {
        let (name, number) = line.split_once(' ').expect("a limit has a number");
        let number = number.parse().expect("a limit is a number");
        match name {
            "list" => limits.list_length = number,
            "bytes" => limits.value_bytes = number,
            "calls" => limits.calls = number,
            _ => panic!("there is no limit `{name}`"),
        }
    }
    limits
}

/// Runs the program of a case, and explains its outcome.
fn outcome_of(case: &Case) -> Actual {
    let program = case.input("dialect").expect("the case has a program");
    let registry = world::registry();
    let outcome = block_on(run(&registry, program, &limits(case)));
    if let Err(broken) = promises::hold(&registry, &outcome) {
        return Actual::new("broken promise", broken);
    }
    let explanation = explain(&outcome, program);
    let kind = match &outcome {
        Outcome::Success(_) => "success",
        Outcome::Failure(_) => "failure",
        Outcome::Ambiguity(_) => "ambiguity",
    };
    let note = explanation.note.map(|note| format!("\n// {note}")).unwrap_or_default();
    Actual::new(kind, explanation.text + &note)
}

/// Checks that the examples of all functions run, because agents see them.
fn examples_read() -> Result<(), Failed> {
    let registry = world::registry();
    let library = core_library::library();
    for row in &library.functions {
        if row.examples.is_empty() {
            return Err(Failed::from(format!("{} has no example", row.signature)));
        }
        for program in &row.examples {
            let outcome = block_on(run(&registry, program, &Limits::default()));
            if !matches!(outcome, Outcome::Success(_)) {
                return Err(Failed::from(format!("{program}\n{}", explain(&outcome, program).text)));
            }
        }
    }
    Ok(())
}
