//! Interface documents: tests that are documents, and properties, examples and hostile input of the library.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod documents;
mod suite;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [documents::trials(), suite::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
