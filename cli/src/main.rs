//! The program `dialect`.

fn main() -> std::process::ExitCode {
    cli::main()
}
