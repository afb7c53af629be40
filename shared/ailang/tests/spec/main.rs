//! Runs the chapters in `spec/`: each example is a test of its own. `UPDATE_EXPECT=1` accepts what comes out.

#![expect(clippy::disallowed_methods, reason = "the harness reads the chapters")]

mod failures;
mod rows;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ailang::{Document, Documents};
use libtest_mimic::Arguments;
use literate::{Actual, Case, Chapter, trials};

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec");
    let mut tests = Vec::new();
    for path in chapters(&folder) {
        let name = path.file_stem().expect("a chapter has a name").to_string_lossy().into_owned();
        let markdown = std::fs::read_to_string(&path).expect("a chapter can be read");
        let write = std::env::var_os("UPDATE_EXPECT").map(|_| {
            move |blessed: &str| std::fs::write(&path, blessed).expect("the chapter can be written")
        });
        tests.extend(trials(Chapter { name, markdown }, outcome_of, write));
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn chapters(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("there is a folder of chapters");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    paths
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
