//! `dialect script`: runs one TypeScript program as the tool `script` does. Also the process that runs the programs of
//! that tool.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use component::{FoundPlugins, PluginReport, Scripts, script_declarations};
use script_worker::PeakMemory;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::arguments::{Script, ScriptSource, ScriptTool};
use crate::environment::{executable, workspace};
use crate::eval::chain_for;
use crate::failure::Failure;
use crate::output::{complain, say};
use crate::plugin_sources::PluginSources;
use crate::plugins::describe;
use crate::script_config::ScriptConfig;
use crate::source::read;
use crate::stub::converse;
use crate::{os, progress, script_checker, script_runtimes};

/// The private memory of the process of a program, in bytes: that of the engine, at most half of this, and its frames.
const MEMORY: u64 = 512 * 1024 * 1024;

/// Runs one program, whose frames come over standard input and go to standard output. Nothing else is open to it.
pub(crate) fn worker() -> ExitCode {
    let memory = PeakMemory::open();
    let unconfined = confinement::isolate(MEMORY).err().map(|it| it.to_string());
    script_worker::run(std::io::stdin(), std::io::stdout(), unconfined, memory);
    ExitCode::SUCCESS
}

/// Returns the settings of the tool; `None` if the user does not want it offered.
pub(crate) fn tool(
    arguments: &ScriptTool,
    fallback: &adapter::fallback::Config,
) -> Result<Option<Scripts>, Failure> {
    let config = ScriptConfig::read()?;
    match arguments.no_script || !config.enabled {
        true => Ok(None),
        false => scripts(&arguments.runtimes.runtimes, config, fallback).map(Some),
    }
}

/// Returns the settings with the runtimes of the command line before those of the user's file.
fn scripts(
    runtimes: &[String],
    config: ScriptConfig,
    fallback: &adapter::fallback::Config,
) -> Result<Scripts, Failure> {
    let mut scripts = Scripts::new(executable()?, ["script-worker".into()]);
    scripts.limits.calls = config.calls;
    scripts.limits.cpu = Duration::from_secs(config.computing);
    scripts.limits.checking = Duration::from_secs(config.checking);
    scripts.checker = script_checker::checker(fallback).filter(|_| config.check_types);
    scripts.runtimes = script_runtimes::runtimes(&[runtimes, &config.runtimes].concat(), fallback)?;
    Ok(scripts)
}

pub(crate) async fn run(arguments: Script) -> Result<ExitCode, Failure> {
    if arguments.source.types {
        return types(&arguments).await;
    }
    let answer = match program(&arguments.source)
        .and_then(|it| Ok((it, workspace(arguments.workspace.as_deref())?)))
    {
        Err(error) => Answer::usage(format!("dialect script: {error}")),
        Ok((program, workspace)) => {
            let asked = ask(&arguments, &program, &workspace).await;
            asked.unwrap_or_else(|error| Answer::failure(format!("dialect script: {error}")))
        }
    };
    answer.print(false)
}

/// Prints the declarations of everything that a program can call, with the functions of plugins.
async fn types(arguments: &Script) -> Result<ExitCode, Failure> {
    let root = workspace(arguments.workspace.as_deref())?;
    let chain = chain_for(arguments.trust, &arguments.plugins.plugins, arguments.timeout, None)?;
    let sources = PluginSources::new(&arguments.plugins.plugins, &chain.fallback);
    let found = tokio::task::spawn_blocking(move || sources.find(&[root])).await?;
    let FoundPlugins { plugins, problems } = found;
    let found = FoundPlugins { plugins, problems: Vec::new() };
    let (text, reports) = script_declarations(found).await;
    say(&text)?;
    let missing: Vec<PluginReport> =
        reports.into_iter().filter(|it| it.asks || it.problem.is_some()).collect();
    if missing.is_empty() && problems.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    complain(describe(&missing, &problems).trim_end());
    Ok(ExitCode::FAILURE)
}

async fn ask(arguments: &Script, program: &str, workspace: &Path) -> Result<Answer, Failure> {
    let Script { trust, ref plugins, timeout, write, ref args, .. } = *arguments;
    let mut chain = chain_for(trust, &plugins.plugins, timeout, None)?;
    let runtime = arguments.runtime.as_deref();
    let runtimes: Vec<String> = runtime.into_iter().map(str::to_owned).collect();
    let mut config = ScriptConfig::read()?;
    config.calls = arguments.calls.unwrap_or(config.calls);
    chain.component.scripts = Some(scripts(&runtimes, config, &chain.fallback)?);
    chain.component.trusts_edits = write;
    let mut call = json!({"code": program, "timeout_ms": timeout * 1000, "dry_run": !write});
    if let Some(runtime) = runtime {
        call["runtime"] = json!(runtime.split(['=', ',']).next());
    }
    if let Some(args) = args {
        call["args"] = Value::clone(args);
    }
    let shown = progress::begin();
    let asking = converse(chain, workspace, Box::new(progress::step), async |session| {
        let result = session.script(&call).await;
        drop(shown);
        result
    });
    tokio::select! {
        result = asking => Ok(Answer::of(&result?)),
        () = os::asked_to_end()? => Err("stopped by a signal".into()),
    }
}

fn program(source: &ScriptSource) -> Result<String, Failure> {
    let program = match (&source.file, source.program.as_deref()) {
        (Some(file), _) => read(file),
        (None, Some("-")) => read(Path::new("-")),
        (None, program) => Ok(program.unwrap_or_default().to_owned()),
    };
    Ok(program?)
}
