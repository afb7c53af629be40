//! The language server as a client sees it, and the grammars and extensions of editors.

mod editors;
mod server;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [editors::trials(), server::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
