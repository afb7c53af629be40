//! The program `dialect`: the only shipped crate that knows both proxies.

mod agent;
mod ailang;
mod answer;
mod arguments;
mod audit;
mod chain;
mod check;
mod check_editor;
mod deviation;
mod doctor;
mod environment;
mod eval;
mod failure;
mod fmt;
mod grants;
mod logs;
mod mcp;
mod os;
mod output;
mod plugin_server;
mod plugin_sources;
mod plugins;
mod process;
mod progress;
mod proxies;
mod repl;
mod script;
mod script_checker;
mod script_config;
mod script_runtimes;
mod server;
mod settings_file;
mod setup;
mod skills;
mod source;
#[cfg(feature = "plugin-source")]
mod source_process;
mod stats;
mod stub;
mod trusted;
mod workspace_provider;

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use arguments::{Arguments, Command};
pub use chain::{Chain, chain};
use failure::Failure;
use output::complain;

/// Runs the program with the arguments of this process. Under the name `ailang` it is `dialect ailang`.
pub fn main() -> ExitCode {
    if std::env::args_os().next().is_some_and(|it| Path::new(&it).file_name() == Some("ailang".as_ref())) {
        return ailang::program(workspace_provider::within);
    }
    let arguments: Arguments = arguments::parsed();
    match arguments.command {
        // Relay and supervisor run many times, beside the pipes of others: no runtime, no logs.
        Command::Relay => component::relay::main(),
        Command::Supervise(supervised) => supervised.run(),
        Command::ScriptWorker => script::worker(),
        #[cfg(feature = "plugin-source")]
        Command::SourceWorker => source_process::run(),
        Command::WriteFiles => adapter::fallback::detached_write::main(),
        Command::Ailang(arguments) => ailang::nested(arguments, workspace_provider::within),
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
    let code = runtime.block_on(dispatch(command)).unwrap_or_else(|error| fail(&*error));
    runtime.block_on(component::plugins::end_all(os::PLUGIN_WAIT));
    component::flush_call_log(os::LOG_WAIT);
    runtime.shutdown_timeout(os::END_WAIT);
    code
}

fn fail(error: &dyn std::fmt::Display) -> ExitCode {
    complain(&format!("dialect: {error}"));
    ExitCode::FAILURE
}

async fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    hint(&command);
    match command {
        Command::Agent(arguments) => agent::run(arguments).await,
        Command::Mcp(arguments) => mcp::run(arguments).await,
        Command::Adapter(arguments) => proxies::adapter(arguments).await,
        Command::Component(arguments) => proxies::component(arguments).await,
        Command::Eval(arguments) => eval::run(arguments).await,
        Command::Script(arguments) => script::run(arguments).await,
        Command::Repl(arguments) => repl::run(arguments).await,
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::Doctor(arguments) => doctor::run(arguments).await,
        Command::Trust(arguments) => trusted::run(arguments),
        Command::Grants(arguments) => grants::run(arguments),
        Command::Plugin(arguments) => plugin_server::run(arguments).await,
        Command::CheckEditor(arguments) => check_editor::run(arguments).await,
        Command::Plugins(arguments) => plugins::run(arguments).await,
        Command::Setup(arguments) => setup::run(arguments),
        Command::Skills(arguments) => skills::run(arguments),
        Command::Audit(arguments) => audit::run(arguments),
        Command::Server(arguments) => server::run(arguments.command).await,
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Supervise(_)
        | Command::ScriptWorker
        | Command::WriteFiles
        | Command::Relay
        | Command::Ailang(_) => {
            unreachable!("run before there is a runtime")
        }
        #[cfg(feature = "plugin-source")]
        Command::SourceWorker => unreachable!("run before there is a runtime"),
    }
}

/// Prints a hint for a user who starts a protocol's program on a terminal.
fn hint(command: &Command) {
    let protocol = match command {
        Command::Agent(_) | Command::Adapter(_) | Command::Component(_) => "ACP",
        Command::Mcp(arguments) if arguments.http.is_none() => "MCP",
        _ => return,
    };
    if std::io::stdin().is_terminal() {
        complain(&format!(
            "This command speaks {protocol} on standard input and output: an editor or an agent starts it. See \
             `dialect help`."
        ));
    }
}
