//! Syntax trees: the chapters of every language, calls in every place, and hostile texts.

mod calls;
mod hostile;
mod spec;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [calls::trials(), hostile::trials(), spec::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
