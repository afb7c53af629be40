//! `ide-adapter`: the adapter on standard input and output, for people who run their own conductor.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use adapter::fallback::{Config, Fallback};
use agent_client_protocol::Stdio;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [subcommand, separator, command, rest @ ..] = &arguments[..]
        && subcommand == "supervise"
        && separator == "--"
    {
        return adapter::supervise::supervise(command, rest, Duration::ZERO);
    }
    let filter = EnvFilter::try_from_env("DIALECT_LOG").unwrap_or_else(|_| EnvFilter::from_default_env());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ide-adapter: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = Config::new(std::env::current_exe()?);
    config.trust = std::env::args().any(|it| it == "--trust");
    let fallback = Arc::new(Fallback::new(config));
    let runtime = tokio::runtime::Runtime::new()?;
    let ended = runtime.block_on(async {
        let ended = adapter::run(Arc::clone(&fallback), Stdio::new()).await;
        fallback.shutdown().await;
        ended
    });
    runtime.shutdown_background();
    Ok(ended?)
}
