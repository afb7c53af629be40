//! The language: its chapters, and tests that are no chapters.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod spec;
mod suite;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [spec::trials(), suite::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
