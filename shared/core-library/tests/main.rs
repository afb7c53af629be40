//! The core library: its chapters, programs of other languages, incomplete answers, and properties of all values.

mod foreign;
mod gaps;
mod properties;
mod spec;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [foreign::trials(), gaps::trials(), properties::trials(), spec::trials()]
        .into_iter()
        .flatten()
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
