//! `dialect`: the tool for an agent, and everything around it.

fn main() -> std::process::ExitCode {
    cli::main()
}
