//! Runs the chapters in `spec/`: each example is a test of its own. `UPDATE_EXPECT=1` accepts what comes out.

mod show;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use literate::{Chapter, chapters};
use syntax::Language;

fn main() -> ExitCode {
    let mut tests = vec![Trial::test("every language has a chapter", every_language_has_a_chapter)];
    tests.extend(spec().into_iter().flat_map(|it| it.trials(show::outcome_of)));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn spec() -> Vec<Chapter> {
    chapters(&Path::new(env!("CARGO_MANIFEST_DIR")).join("spec"))
}

/// With an outline and with roles.
fn every_language_has_a_chapter() -> Result<(), Failed> {
    let all: Vec<_> = spec().iter().flat_map(Chapter::cases).collect();
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
