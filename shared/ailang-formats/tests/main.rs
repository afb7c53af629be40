//! Formats of interface documents: conversions, and generated code that the tools of its language judge.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod generated;
#[path = "../../ailang/tests/suite/schema/strategies.rs"]
mod strategies;
mod suite;
mod vectors;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [generated::trials(), suite::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
