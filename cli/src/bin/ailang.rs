//! `ailang`: looks at interface documents.

fn main() -> std::process::ExitCode {
    cli::ailang()
}
