//! Tests that are documents: the corpus, the chapters in `spec/`, and the specification of the language.

#![expect(clippy::disallowed_methods, reason = "tests read documents")]

mod corpus;
mod seed;
mod spec;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = corpus::trials().into_iter().chain(spec::trials()).chain(seed::trials()).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
