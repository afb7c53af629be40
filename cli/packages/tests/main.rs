//! Packages: hostile archives, locks, git repositories and a registry of npm's protocol.

mod git;
mod hostile;
mod locks;
mod npm;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials =
        [git::trials(), hostile::trials(), locks::trials(), npm::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
