//! The process that runs the source of a plugin: functions that it hands to its host.

use std::process::ExitCode;

use component::plugins::Launch;
use plugin_protocol::source::Module;
use source_worker::{Bounds, UsedMemory};

use crate::output::complain;

/// The private memory of the process, in bytes: that of the source, at most half of this, and its messages.
const MEMORY: u64 = 512 * 1024 * 1024;

/// The command that starts it.
const COMMAND: &str = "source-worker";

/// Returns the way to start it with this executable.
pub(crate) fn launch(executable: &std::path::Path) -> Launch {
    let arguments = vec![COMMAND.into()];
    Launch { arguments, clears_environment: true, name: Some("source".to_owned()), ..Launch::new(executable) }
}

/// Answers the calls of the source that the environment holds. They come over standard input; nothing else is open to it.
pub(crate) fn run() -> ExitCode {
    let memory = UsedMemory::open();
    let module = match Module::of_variables(|name| std::env::var(name).ok()) {
        Ok(module) => module,
        Err(error) => return stopped(&error),
    };
    let unconfined = confinement::isolate(MEMORY).err().map(|it| it.to_string());
    match source_worker::run(
        module,
        Bounds::default(),
        std::io::stdin(),
        std::io::stdout(),
        unconfined,
        memory,
    ) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => stopped(&why),
    }
}

fn stopped(why: &str) -> ExitCode {
    complain(why);
    ExitCode::FAILURE
}
