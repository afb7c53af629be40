//! The fake language server on standard input and output.
//!
//! `--plan JSON --record ADDRESS --control ADDRESS`, or the same in the environment for a chain that starts it
//! under a real server's name. `--plan @PATH` names a file with the JSON, which may be longer than a command
//! line.

use std::net::TcpStream;
use std::process::ExitCode;

use anyhow::Result;
use conformance::{language_server, record};
use serde_json::{Value, json};

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fake-language-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|it| it == "--version") {
        #[expect(clippy::print_stdout, reason = "a version is asked for outside of the protocol")]
        {
            println!("fake-language-server 0");
        }
        return Ok(());
    }
    let told = |option: &str, variable: &str| {
        let given = arguments.iter().skip_while(|it| *it != option).nth(1).cloned();
        given.or_else(|| std::env::var(variable).ok())
    };
    let plan = told("--plan", "FAKE_LANGUAGE_SERVER_PLAN");
    let plan = match plan.as_deref().and_then(|it| it.strip_prefix('@')) {
        Some(path) => Some(std::fs::read_to_string(path)?),
        None => plan,
    };
    let mut plan: Value = plan.map_or(Ok(json!({})), |it| serde_json::from_str(&it))?;
    if plan["as"].is_object() {
        let program = std::env::args().next().unwrap_or_default();
        plan = plan["as"][program.rsplit('/').next().unwrap_or_default()].take();
    }
    let log = match told("--record", record::VARIABLE) {
        Some(address) => record::Log::at("server", &address)?,
        None => record::Log::Nowhere,
    };
    let control = told("--control", "FAKE_LANGUAGE_SERVER_CONTROL");
    let commands = control.map(TcpStream::connect).transpose()?;
    Ok(language_server::run(plan, log, commands)?)
}
