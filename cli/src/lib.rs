//! The program `dialect`: the only shipped crate that knows both proxies.

mod agent;
mod ailang;
mod arguments;
mod audit;
mod chain;
mod check;
mod doctor;
mod eval;
mod fmt;
mod grants;
mod logs;
mod os;
mod output;
mod process;
mod proxies;
mod repl;
mod source;
mod stub;
mod trusted;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

pub use ailang::ailang;
pub use chain::{Chain, chain};

use arguments::{Arguments, Command};

/// How long background work may hold the end up: searches that nobody waits for any more.
const END_WAIT: Duration = Duration::from_millis(100);

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command {
        // These two are copies of a process beside somebody's pipes: no runtime, no logs.
        Command::Relay => component::relay::main(),
        Command::Supervise(supervised) => supervised.run(),
        Command::Ailang(arguments) => arguments.run(),
        command => run(command, &arguments.logging),
    }
}

fn run(command: Command, logging: &logs::Logging) -> ExitCode {
    if let Err(error) = logging.begin() {
        return fail(&error);
    }
    transport::raise_descriptor_limit();
    let runtime = match transport::runtime() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    let code = runtime.block_on(command.run()).unwrap_or_else(|error| fail(&*error));
    runtime.shutdown_timeout(END_WAIT);
    code
}

fn fail(error: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("dialect: {error}");
    ExitCode::FAILURE
}

/// Why a subcommand ends without having done its work.
pub(crate) type Failure = Box<dyn std::error::Error>;
