//! Programs of other languages: where they are, and what they say.

use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::{Completion, Failed, Trial};

/// Returns a test of a language that is ignored without the programs that it needs.
pub(crate) fn trial(
    language: &'static str,
    name: &str,
    needs: &'static [&'static [&'static str]],
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    Trial::ignorable_test(format!("{language}, {name}"), move || {
        for command in needs {
            if let Err(reason) = answers(command) {
                let required = std::env::var("AILANG_REQUIRE_TOOLS").unwrap_or_default();
                return match required.split(',').any(|it| it.trim() == language) {
                    true => Err(reason.into()),
                    false => Ok(Completion::ignored_with(reason)),
                };
            }
        }
        test().map(|()| Completion::Completed)
    })
}

/// Checks that a command succeeds.
fn answers(command: &[&str]) -> Result<(), String> {
    let [program, arguments @ ..] = command else { return Ok(()) };
    match tool(program).args(arguments).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            Err(format!("`{}` failed: {}", command.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
        }
        Err(error) => Err(format!("`{program}` does not start: {error}")),
    }
}

/// Returns the folder of tools that the environment names.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::var_os("AILANG_TOOLS").map(PathBuf::from)
}

/// Returns a program of the folder of tools, or else of the search path.
pub(crate) fn tool(name: &str) -> Command {
    let places = home().into_iter().flat_map(|it| [it.join("node_modules/.bin"), it.join("python/bin")]);
    let found = places.map(|it| it.join(name)).find(|it| it.exists());
    let mut command = Command::new(found.unwrap_or_else(|| name.into()));
    // Node finds packages that the search path does not name.
    if let Some(home) = home() {
        command.env("NODE_PATH", home.join("node_modules"));
    }
    command
}

/// Runs a command; returns its standard output, which has to be empty or allowed.
pub(crate) fn run(command: &mut Command) -> Result<String, Failed> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let said = text(&output.stdout) + &text(&output.stderr);
    let said: String = said.lines().take(60).map(|it| format!("{it}\n")).collect();
    Err(format!("{command:?} failed:\n{said}").into())
}
