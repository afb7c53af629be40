//! Runs the chapters in `spec/`: each example is a test of its own. `UPDATE_EXPECT=1` accepts what comes out.

#![expect(clippy::disallowed_methods, reason = "the harness reads the chapters")]

mod show;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use literate::{Chapter, cases, trials};
use syntax::Language;

fn main() -> ExitCode {
    let mut tests = vec![Trial::test("every language has a chapter", every_language_has_a_chapter)];
    for path in chapters() {
        let write = std::env::var_os("UPDATE_EXPECT").map(|_| {
            let path = path.clone();
            move |blessed: &str| std::fs::write(&path, blessed).expect("the chapter can be written")
        });
        tests.extend(trials(chapter(&path), show::outcome_of, write));
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn chapters() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec");
    let entries = std::fs::read_dir(folder).expect("there is a folder of chapters");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    paths
}

fn chapter(path: &Path) -> Chapter {
    let name = path.file_stem().expect("a chapter has a name").to_string_lossy().into_owned();
    let markdown = std::fs::read_to_string(path).expect("a chapter can be read");
    Chapter { name, markdown }
}

/// With an outline and with roles.
fn every_language_has_a_chapter() -> Result<(), Failed> {
    let all: Vec<_> = chapters().iter().flat_map(|path| cases(&chapter(path).markdown)).collect();
    for language in Language::all() {
        for kind in ["outline", "roles"] {
            let is_one = |it: &&literate::Case| it.expected.kind == kind && it.input(language.id()).is_some();
            if !all.iter().any(|it| is_one(&it)) {
                return Err(Failed::from(format!("{} has no case of {kind}", language.name())));
            }
        }
    }
    Ok(())
}
