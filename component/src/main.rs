//! `ide-component`: the component on standard input and output, for people who run their own conductor.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

const USAGE: &str = "\
ide-component: an ACP proxy that gives the agent behind it the MCP tool `ide_operation`.
It speaks ACP on standard input and output, to a conductor. Place ide-adapter before it, unless the editor
offers `ide_operations` itself.

Usage: ide-component [--read-only]

--read-only refuses everything that writes, runs or reaches the network, without asking.

Logs go to standard error; DIALECT_LOG or RUST_LOG say which.";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match &arguments[..] {
        [] => report(run(false)),
        [flag] if flag == "--read-only" => report(run(true)),
        [command] if command == component::relay::COMMAND => component::relay::main(),
        other => {
            eprintln!("{USAGE}");
            let is_help = matches!(other, [flag] if flag == "--help" || flag == "-h");
            ExitCode::from(if is_help { 0 } else { 2 })
        }
    }
}

fn report(ended: Result<(), Box<dyn std::error::Error>>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ide-component: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(read_only: bool) -> Result<(), Box<dyn std::error::Error>> {
    let wanted = ["DIALECT_LOG", "RUST_LOG"].into_iter().find_map(|it| std::env::var(it).ok());
    let filter = EnvFilter::new(wanted.as_deref().unwrap_or(component::LOG_FILTER));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    transport::raise_descriptor_limit();
    let mut config = component::Config::new(std::env::current_exe()?);
    config.read_only = read_only;
    let runtime = transport::runtime()?;
    let ended = runtime.block_on(component::run_on_stdio(config));
    runtime.shutdown_background(); // nobody waits for calls that still run
    Ok(ended?)
}
