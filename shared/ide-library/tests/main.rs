//! The IDE library: its chapters, and methods of objects beside its functions.

mod methods;
mod spec;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [methods::trials(), spec::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
