//! `ailang`: becomes the `dialect` beside it, which under this name is the command line for interface documents.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

#[expect(clippy::print_stderr, reason = "this program has no other output")]
fn main() -> ExitCode {
    let own = std::env::current_exe().unwrap_or_default();
    let dialect = own.with_file_name("dialect");
    let error = Command::new(&dialect).arg0("ailang").args(std::env::args_os().skip(1)).exec();
    eprintln!(
        "ailang: the program `dialect` is needed, and does not start from {}: {error}",
        dialect.display()
    );
    ExitCode::FAILURE
}
