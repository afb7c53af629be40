//! Runs the chapters in `spec/`: each example is a test of its own. `UPDATE_EXPECT=1` accepts what comes out.
//!
//! Besides the words that an agent would get, each example is checked against the library's promises. Offered programs
//! run, a result is a valid argument, and every row of the library has a case.

mod at_once;
mod catalogue;
mod code;
mod coverage;
mod cut;
mod described;
mod edits;
mod hostile;
mod promises;
mod world;

use std::path::Path;
use std::sync::Arc;

use dialect::{FailureKind, Failures, Limits, Outcome, Registry, Value, explain, run};
use futures::executor::block_on;
use libtest_mimic::{Failed, Trial};
use literate::{Actual, Case, Chapter, chapters};
use world::World;

pub(crate) fn trials() -> Vec<Trial> {
    let passes = |name: &str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let mut tests = vec![
        passes("uses come with the definition", at_once::uses_come_with_the_definition),
        passes("lines go on", cut::lines_go_on),
        passes("source goes on", cut::source_goes_on),
        passes("source of many places goes on", cut::source_of_many_places_goes_on),
        passes("brief goes on", cut::brief_goes_on),
        passes("inside a lambda there is no program", cut::inside_a_lambda_there_is_no_program),
        passes("the description keeps to its budget", catalogue::it_keeps_to_its_budget),
        passes("the description names every function", catalogue::it_names_every_function),
        passes("the description is the same each time", catalogue::it_is_the_same_each_time),
        passes("the description says nothing twice", catalogue::it_says_nothing_twice),
        passes("a path is read back as it is shown", hostile::a_path_is_read_back_as_it_is_shown),
        passes("nothing is forged and nothing hides", hostile::nothing_is_forged_and_nothing_hides),
        Trial::test("everything has a case", coverage::everything_has_a_case),
        Trial::test("the examples of every function run", examples_run),
        Trial::test("what the first description shows runs", described_programs_run),
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

fn registry(case: &Case) -> Registry {
    registry_of(World::of(case))
}

fn registry_of(world: World) -> Registry {
    let library = ide_library::library(Arc::new(world));
    Registry::new([library, core_library::library()]).expect("the tables fit")
}

/// Returns the words for the program of a case; for text, the text itself.
fn outcome_of(case: &Case) -> Actual {
    let program = case.input("dialect").expect("the case has a program");
    let world = World::of(case);
    let registry = registry_of(world.clone());
    let outcome = block_on(run(&registry, program, &Limits::default()));
    let asked = world.asked();
    let ahead = World::of(case).answering_next();
    let at_once = block_on(run(&registry_of(ahead.clone()), program, &Limits::default()));
    if explain(&at_once, program) != explain(&outcome, program) || ahead.asked() > asked {
        return Actual::new("another answer with uses at once", explain(&at_once, program).text);
    }
    if let Err(broken) = promises::hold(&registry, &outcome) {
        return Actual::new("broken promise", broken);
    }
    let explanation = explain(&outcome, program);
    let (kind, text) = match &outcome {
        Outcome::Success(success) => match &success.value {
            Value::Text(text) => ("text", text.to_string()),
            _ => ("success", explanation.text),
        },
        Outcome::Failure(failures) if asked == 0 && shows_in_types(failures) => ("unasked", explanation.text),
        Outcome::Failure(_) => ("failure", explanation.text),
        Outcome::Ambiguity(_) => ("ambiguity", explanation.text),
    };
    let notes = explanation.note.unwrap_or_default();
    let notes: String = notes.lines().map(|note| format!("\n// {note}")).collect();
    Actual::new(kind, text + &notes)
}

/// Returns `true` for mistakes that the types of signatures show.
fn shows_in_types(failures: &Failures) -> bool {
    failures
        .into_iter()
        .any(|it| matches!(*it.kind, FailureKind::NoMember { .. } | FailureKind::LambdaResult { .. }))
}

fn described_programs_run() -> Result<(), Failed> {
    let run = |case: &Case, program: &str| block_on(run(&registry(case), program, &Limits::default()));
    described::all_run(&all_cases(), run).map_err(Failed::from)
}

/// Runs the examples that are shown to agents in the workspace of the first chapter.
fn examples_run() -> Result<(), Failed> {
    let case = all_cases().swap_remove(0);
    let library = ide_library::library(Arc::new(World::of(&case).with_selection()));
    let registry = Registry::new([library.clone(), core_library::library()]).expect("the tables fit");
    for program in library.functions.iter().flat_map(|it| &it.examples) {
        let outcome = block_on(run(&registry, program, &Limits::default()));
        if !matches!(outcome, Outcome::Success(_)) {
            return Err(Failed::from(format!("{program}\n{}", explain(&outcome, program).text)));
        }
    }
    Ok(())
}
