//! `ailang` as a user runs it: the chapters in `chapters/`, whose examples are command lines with their output.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod registry;
mod seed;
mod session;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::Arguments;
use literate::Chapter;

fn main() -> ExitCode {
    let mut trials = vec![seed::trial(&chapters())];
    trials.extend(chapters().into_iter().flat_map(|chapter| chapter.trials(session::outcome)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn chapters() -> Vec<Chapter> {
    literate::chapters(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ailang/chapters"))
}
