//! The programs `dialect` and `ailang` as a user runs them.

mod ailang;
mod ailang_run;
mod lsp;
mod monitoring;
mod packages;
mod setup;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [
        ailang::trials(),
        ailang_run::trials(),
        lsp::trials(),
        monitoring::trials(),
        packages::trials(),
        setup::trials(),
    ];
    let trials = trials.into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
