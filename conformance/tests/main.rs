//! Tests of the whole chain. They are one program, so that it is linked once and its tests run beside each other: while
//! one waits for a process, others work.

/// Lists the tests of a module, as [`literate::trials!`] does; asynchronous functions stand after `async`.
macro_rules! tests {
    (async $($name:ident),* $(,)?) => {
        vec![$($crate::asynchronous(module_path!(), stringify!($name), $name)),*]
    };
    ($($name:ident),* $(,)?) => {
        literate::trials![$($name),*]
    };
}

#[cfg(target_os = "linux")]
mod background;
mod bytes;
mod check_editor;
#[cfg(target_os = "linux")]
mod deaths;
mod direct_requests;
#[cfg(target_os = "linux")]
mod edited_diagnostics;
#[cfg(target_os = "linux")]
mod example_plugins;
mod features;
mod forwarding;
mod hit_context;
mod hostile;
mod imports;
#[cfg(target_os = "linux")]
mod kill;
mod lent_servers;
mod limits;
#[cfg(target_os = "linux")]
mod mcp_clients;
mod memory_budget;
#[cfg(target_os = "linux")]
mod outside;
mod permission;
mod plugin_cases;
mod plugin_chain;
mod plugin_check;
mod plugins;
#[cfg(target_os = "linux")]
mod port;
mod progress;
mod real_servers;
mod reasons;
mod registry;
#[cfg(target_os = "linux")]
mod script_kills;
#[cfg(target_os = "linux")]
mod script_plugins;
#[cfg(target_os = "linux")]
mod script_tools;
#[cfg(target_os = "linux")]
mod scripts;
#[cfg(target_os = "linux")]
mod skills;
#[cfg(target_os = "linux")]
mod soak;
mod suites;
#[cfg(target_os = "linux")]
mod terminal;
mod version_two;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use std::thread::available_parallelism;
use std::time::Duration;
use unpoisoned::lock;

use anyhow::Result;
use conformance::chain::Programs;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tokio::runtime::Runtime;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Most of the time of most tests is spent in waiting for processes.
    let cores = available_parallelism().map_or(2, Into::into);
    arguments.test_threads = arguments.test_threads.or(Some(cores * 2));
    // Those that take longest are first, so that the last ones to end are short.
    let mut trials = Vec::new();
    #[cfg(target_os = "linux")]
    let traps = hostile::Traps::read();
    #[cfg(target_os = "linux")]
    {
        trials.extend(traps.trials());
        trials.extend(soak::trials());
        trials.extend(deaths::trials());
        trials.extend(memory_budget::trials());
        trials.extend(background::trials());
        trials.extend(edited_diagnostics::trials());
    }
    trials.extend(real_servers::trials());
    trials.extend(lent_servers::trials());
    trials.extend(bytes::trials());
    #[cfg(target_os = "linux")]
    trials.extend(script_kills::trials());
    #[cfg(target_os = "linux")]
    trials.extend(kill::trials().into_iter().chain(outside::trials()).chain(port::trials()));
    #[cfg(target_os = "linux")]
    trials.extend(terminal::trials().into_iter().chain(mcp_clients::trials()));
    trials.extend(limits::trials().into_iter().chain(hit_context::trials()));
    trials.extend(reasons::trials());
    trials.extend(permission::trials());
    trials.extend(plugin_chain::trials());
    trials.extend(example_plugins::trials());
    trials.extend(plugin_check::trials());
    trials.extend(plugin_cases::trials());
    trials.extend(check_editor::trials());
    trials.extend(plugins::trials());
    #[cfg(target_os = "linux")]
    trials.extend(scripts::trials().into_iter().chain(script_tools::trials()));
    #[cfg(target_os = "linux")]
    trials.extend(script_plugins::trials().into_iter().chain(skills::trials()));
    trials.extend(direct_requests::trials());
    trials.extend(progress::trials().into_iter().chain(forwarding::trials()));
    trials.extend(version_two::trials());
    trials.extend(features::trials().into_iter().chain(registry::trials()));
    trials.extend(imports::trials());
    trials.extend(suites::trials());
    let conclusion = libtest_mimic::run(&arguments, trials);
    #[cfg(target_os = "linux")]
    traps.report();
    conclusion.exit_code()
}

/// Returns the programs under test.
///
/// # Errors
/// When some were not built.
fn programs() -> Result<Programs> {
    Programs::beside(Path::new(env!("CARGO_BIN_EXE_mock-agent")))
}

fn asynchronous<F: Future<Output = Result<()>>>(
    module: &str,
    name: &str,
    test: impl FnOnce() -> F + Send + 'static,
) -> Trial {
    literate::function(module, name, move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let tested = runtime.block_on(test());
        runtime.shutdown_background();
        tested
    })
}

/// The time limit for anything on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs a test that needs a language server. Without the server the test counts as ignored, or as failed when
/// `DIALECT_REQUIRE_SERVERS` names the server.
fn with_server(server: &str, test: impl FnOnce() -> Result<()>) -> Result<Completion, Failed> {
    if let Err(reason) = answers(server) {
        let required = std::env::var("DIALECT_REQUIRE_SERVERS").unwrap_or_default();
        return match required.split(',').any(|it| it.trim() == server) {
            true => Err(Failed::from(reason)),
            false => Ok(Completion::ignored_with(reason)),
        };
    }
    test().map(|()| Completion::Completed).map_err(|error| Failed::from(format!("{error:#}")))
}

/// Returns a test that needs rust-analyzer, and runs on a runtime of its own.
fn rust_analyzer_trial<F: Future<Output = Result<()>>>(
    kind: &str,
    name: &str,
    test: impl FnOnce() -> F + Send + 'static,
) -> Trial {
    const SERVER: &str = "rust-analyzer";
    let test = || {
        let runtime = runtime()?;
        let tested = runtime.block_on(test());
        runtime.shutdown_background();
        tested
    };
    Trial::ignorable_test(format!("{SERVER}, {name}"), || with_server(SERVER, test)).with_kind(kind)
}

/// Checks once that a server is installed and starts. A proxy of rustup's may stand where its program is missing.
fn answers(server: &str) -> Result<(), String> {
    static ANSWERS: Mutex<BTreeMap<String, Result<(), String>>> = Mutex::new(BTreeMap::new());
    let mut answers = lock(&ANSWERS);
    let version = if matches!(server, "go" | "gopls") { "version" } else { "--version" };
    let ask = || match Command::new(server).arg(version).current_dir("/").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            Err(format!("`{server} --version` failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
        Err(error) => Err(format!("`{server}` does not start: {error}")),
    };
    answers.entry(server.to_owned()).or_insert_with(ask).clone()
}

/// Returns a runtime for a test that blocks on parts of its own.
fn runtime() -> Result<Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}
