//! `ide-component`: the component on standard input and output, for people who run their own conductor.

use std::io;
use std::process::ExitCode;

use agent_client_protocol::Stdio;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(component::relay::COMMAND) {
        return component::relay::main();
    }
    let filter = EnvFilter::try_from_env("DIALECT_LOG").unwrap_or_else(|_| EnvFilter::from_default_env());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ide-component: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let config = component::Config::new(std::env::current_exe()?);
    let runtime = tokio::runtime::Runtime::new()?;
    let ended = runtime.block_on(component::run(config, Stdio::new()));
    runtime.shutdown_background(); // calls that still run have nobody to answer
    Ok(ended?)
}
