//! `dialect eval`: runs one program through the same chain that agents use, between two stubs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use component::vocabulary;
use dialect::{Limits, Program};

use crate::answer::{Answer, Screen};
use crate::arguments::{Eval, Source, Trust};
use crate::environment::{executable, workspace};
use crate::failure::Failure;
use crate::plugin_sources::PluginSources;
use crate::source::read;
use crate::stub::converse;
use crate::{Chain, check, os, progress};

pub(crate) async fn run(arguments: Eval) -> Result<ExitCode, Failure> {
    let answer = match question(&arguments) {
        Err(error) => Answer::usage(format!("dialect eval: {error}")),
        Ok((program, _)) if arguments.check => return check::run(&program, arguments.json),
        Ok((program, workspace)) => {
            let asked = ask(&arguments, &program, &workspace).await;
            asked.unwrap_or_else(|error| Answer::failure(format!("dialect eval: {error}")))
        }
    };
    let screen =
        workspace(arguments.workspace.as_deref()).ok().filter(|_| !arguments.json && !arguments.compact);
    match screen.and_then(|it| Screen::of_output(&it, REST)) {
        Some(screen) => answer.print_on(&screen, None).map(|_| answer.exit_code()),
        None => answer.print(arguments.json),
    }
}

/// The way to see a value that is longer than the screen.
const REST: &str = "a pipe gets all of them as JSON";

async fn ask(arguments: &Eval, program: &str, workspace: &Path) -> Result<Answer, Failure> {
    let mut chain =
        chain_for(arguments.trust, &arguments.plugins.plugins, arguments.timeout, arguments.wait)?;
    if arguments.compact {
        chain.component.form = component::Form::Compact;
    }
    let shown = progress::begin();
    let asking = converse(chain, workspace, Box::new(progress::step), async |session| {
        let result = session.ask(program).await;
        drop(shown);
        result
    });
    tokio::select! {
        result = asking => Ok(Answer::of(&result?)),
        () = os::asked_to_end()? => Err("stopped by a signal".into()),
    }
}

/// Returns the settings of the chain for programs of a person.
pub(crate) fn chain_for(
    trust: Trust,
    plugins: &[PathBuf],
    timeout: u64,
    wait: Option<Duration>,
) -> Result<Chain, Failure> {
    let mut chain = Chain::new(executable()?);
    chain.fallback.user_settings = adapter::fallback::user_settings();
    trust.set_up(&mut chain.fallback)?;
    chain.fallback.trust_store = adapter::fallback::TrustStore::of_user();
    chain.fallback.keep_index();
    chain.component.deadline = Duration::from_secs(timeout);
    chain.component.wait = wait;
    chain.component.form = component::Form::Json;
    chain.component.plugins = Some(PluginSources::new(plugins, &chain.fallback).finder());
    chain.component.trusts_plugins = true;
    Ok(chain)
}

fn question(arguments: &Eval) -> Result<(String, PathBuf), Failure> {
    Ok((program(&arguments.source)?, workspace(arguments.workspace.as_deref())?))
}

fn program(arguments: &Source) -> Result<String, String> {
    match (&arguments.file, arguments.program.as_deref()) {
        (Some(file), _) => read(file),
        (None, Some("-")) => read(Path::new("-")),
        (None, Some(program)) if is_file_instead(program) => Err(format!(
            "`{program}` is the name of a file and no program. To run the program in it: dialect eval --file {}",
            shell_word(program)
        )),
        (None, Some(program)) => Ok(program.to_owned()),
        (None, None) => unreachable!("clap requires one of them"),
    }
}

/// Returns whether a text is no program but the path of a file.
fn is_file_instead(program: &str) -> bool {
    Path::new(program).is_file() && Program::parse(&vocabulary(), program, &Limits::default()).is_err()
}

/// Returns a word as a shell reads it.
fn shell_word(word: &str) -> String {
    let is_plain = word.chars().all(|it| it.is_ascii_alphanumeric() || "/._-+".contains(it));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_as_a_shell_reads_it() {
        assert_eq!(shell_word("src/c.dialect"), "src/c.dialect");
        assert_eq!(shell_word("it's c"), r"'it'\''s c'");
    }
}
