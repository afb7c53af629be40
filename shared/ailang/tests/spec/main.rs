//! Runs the chapters in `spec/`: each example is a test of its own. `UPDATE_EXPECT=1` accepts what comes out.

mod failures;
mod rows;

use std::path::Path;
use std::process::ExitCode;

use ailang::{Document, Documents};
use libtest_mimic::Arguments;
use literate::{Actual, Case, Chapter, chapters};

fn main() -> ExitCode {
    let mut tests = Vec::new();
    tests.extend(spec().into_iter().flat_map(|it| it.trials(outcome_of)));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn spec() -> Vec<Chapter> {
    chapters(&Path::new(env!("CARGO_MANIFEST_DIR")).join("spec"))
}

fn outcome_of(case: &Case) -> Actual {
    match case.input("dialect") {
        Some(program) => failures::of(&documents(case), program, case.input("code").unwrap_or("{}")),
        None => rows::of(&documents(case)),
    }
}

/// Whole documents are given in blocks `document a.md`; `define` has the definitions of `test.md` alone, and
/// `example` what stands behind them.
fn documents(case: &Case) -> Documents {
    let mut documents = Documents::new();
    for input in case.inputs_of("document") {
        documents.insert(input.subject.clone(), Document::parse(input.text.clone()));
    }
    if let Some(code) = case.input("define") {
        let rest = case.input("example").unwrap_or_default();
        let text = format!(
            "---\nid: test\ntitle: Test\nsummary: For tests.\n---\n\n<define>\n{code}\n</define>\n\n{rest}\n"
        );
        documents.insert("test.md", Document::parse(text));
    }
    documents
}
