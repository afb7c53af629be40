//! `ide-adapter`: the adapter on standard input and output, for users who run their own conductor.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use adapter::fallback::{Config, Fallback, Level, user_settings};
use tracing_subscriber::EnvFilter;

const USAGE: &str = "\
ide-adapter: an ACP proxy that answers _ide_operations/* where the editor does not.
It speaks ACP on standard input and output, to a conductor. Place it before ide-component.

Usage: ide-adapter [--trust | --level LEVEL]
  --level  restricted: language servers run nothing of the workspace
           confined: they do, behind a wall that lets nothing out (the default where there is one)
           trusted: they do, with your rights
  --trust  the same as --level trusted

Logs go to standard error; DIALECT_LOG or RUST_LOG say which.";

/// The default log filter: our own warnings, without the SDK's warning for each error response.
const LOG_FILTER: &str = "warn,agent_client_protocol=error";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(ended) = adapter::run_if_asked(&arguments) {
        return ended;
    }
    match &arguments[..] {
        [] => report(run(None)),
        [flag] if flag == "--trust" => report(run(Some(Level::Trusted))),
        [flag, level] if flag == "--level" => match level.to_string_lossy().parse() {
            Ok(level) => report(run(Some(level))),
            Err(error) => report(Err(String::into(error))),
        },
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

fn run(level: Option<Level>) -> Result<(), Box<dyn std::error::Error>> {
    let wanted = ["DIALECT_LOG", "RUST_LOG"].into_iter().find_map(|it| std::env::var(it).ok());
    let filter = EnvFilter::new(wanted.as_deref().unwrap_or(LOG_FILTER));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    transport::raise_descriptor_limit();
    let mut config = Config::new(std::env::current_exe()?);
    config.level = level;
    config.build_walls();
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
