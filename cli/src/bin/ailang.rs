//! `ailang`: the command line for interface documents.

fn main() -> std::process::ExitCode {
    cli::ailang()
}
