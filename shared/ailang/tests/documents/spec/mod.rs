//! The chapters in `spec/`: each example is a test. `UPDATE_EXPECT=1` accepts the new output.

mod failures;
mod rows;
pub(crate) mod run;

use std::path::Path;

use ailang::{Document, Documents};
use libtest_mimic::Trial;
use literate::{Actual, Case, Chapter, chapters};

pub(crate) fn trials() -> Vec<Trial> {
    spec().into_iter().flat_map(|it| it.trials(outcome_of)).collect()
}

fn spec() -> Vec<Chapter> {
    chapters(&Path::new(env!("CARGO_MANIFEST_DIR")).join("spec"))
}

fn outcome_of(case: &Case) -> Actual {
    if matches!(case.expected.kind.as_str(), "prints" | "fails" | "refused") {
        return run::of(case, &documents(case));
    }
    match case.input("dialect") {
        Some(program) => failures::of(&documents(case), program, case.input("code").unwrap_or("{}")),
        None => rows::of(&documents(case)),
    }
}

/// Reads the documents of a case.
///
/// A block `document a.md` is a whole document. `define` has only the definitions of `test.md`, and `example`
/// the text behind them.
pub(crate) fn documents(case: &Case) -> Documents {
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
