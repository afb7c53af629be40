//! `ide-adapter`: the adapter on standard input and output, for people who run their own conductor.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use adapter::fallback::{Config, Fallback, user_settings};
use tracing_subscriber::EnvFilter;

const USAGE: &str = "\
ide-adapter: an ACP proxy that answers _ide_operations/* where the editor does not.
It speaks ACP on standard input and output, to a conductor. Place it before ide-component.

Usage: ide-adapter [--trust]
  --trust  let language servers run the workspace's build scripts and procedural macros

Logs go to standard error; DIALECT_LOG or RUST_LOG say which.";

/// Our own warnings; the SDK warns about every error that somebody answers.
const LOG_FILTER: &str = "warn,agent_client_protocol=error";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match &arguments[..] {
        [] => report(run(false)),
        [flag] if flag == "--trust" => report(run(true)),
        [command, scratch, separator, server, rest @ ..]
            if command == "supervise" && scratch == "--scratch" && separator == "--" =>
        {
            adapter::supervise::supervise(server, rest, Duration::ZERO, true)
        }
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
            eprintln!("ide-adapter: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(trust: bool) -> Result<(), Box<dyn std::error::Error>> {
    let wanted = ["DIALECT_LOG", "RUST_LOG"].into_iter().find_map(|it| std::env::var(it).ok());
    let filter = EnvFilter::new(wanted.as_deref().unwrap_or(LOG_FILTER));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    transport::raise_descriptor_limit();
    let mut config = Config::new(std::env::current_exe()?);
    config.trust = trust;
    config.user_settings = user_settings();
    config.ask_user_for_trust();
    config.keep_index();
    let fallback = Arc::new(Fallback::new(config));
    let runtime = transport::runtime()?;
    let ended = runtime.block_on(async {
        let ended = adapter::run_on_stdio(Arc::clone(&fallback)).await;
        fallback.shutdown().await;
        ended
    });
    runtime.shutdown_background(); // searches that still run have nobody to answer
    Ok(ended?)
}
