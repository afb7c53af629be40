//! Every scenario of every suite as a test of its own.

use std::path::{Path, PathBuf};

use conformance::chain::Programs;
use conformance::scenario::Scenario;
use libtest_mimic::{Failed, Trial};
use literate::{Actual, Case, Chapter};

pub(crate) fn trials() -> Vec<Trial> {
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites");
    let programs = match crate::programs() {
        Ok(programs) => programs,
        Err(error) => {
            return vec![
                Trial::test("programs", move || Err(Failed::from(error.to_string()))).with_kind("suites"),
            ];
        }
    };
    let mut tests: Vec<Trial> =
        files(&suites).iter().flat_map(|it| of_file(&suites, it, &programs)).collect();
    tests.sort_by(|a, b| a.name().cmp(b.name()));
    tests.into_iter().map(|it| it.with_kind("suites")).collect()
}

/// Every file below, so that none can be forgotten.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the suites stand beside this file");
    let paths = entries.flatten().map(|it| it.path());
    paths.flat_map(|it| if it.is_dir() { files(&it) } else { vec![it] }).collect()
}

fn of_file(suites: &Path, file: &Path, programs: &Programs) -> Vec<Trial> {
    let name = file.strip_prefix(suites).expect("it was found there").display().to_string();
    let Some(name) = name.strip_suffix(".md").map(str::to_owned) else {
        return vec![Trial::test(name, || Err(Failed::from("suites hold Markdown files only")))];
    };
    let programs = programs.clone();
    Chapter::read(name, file).trials(move |case| play(case, &programs))
}

/// Panics where there is nothing to compare, so that blessing cannot accept it.
fn play(case: &Case, programs: &Programs) -> Actual {
    let scenario = Scenario::parse(case).unwrap_or_else(|error| panic!("{error:#}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime can be made");
    let told = runtime.block_on(scenario.play(programs));
    runtime.shutdown_background();
    let told = told.unwrap_or_else(|error| panic!("{error:#}"));
    Actual::new("transcript", told.trim_end())
}
