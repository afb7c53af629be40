//! The external runtimes of the tool `script`: Node.js and Deno, as the command line or the user's settings name them.
//! They run behind the wall of plugins: they read the workspace and their installation, write nowhere and have no network.
//!
//! Bun is not among them. It reads files about its own process in `/proc`, which no rule of the wall can name before there
//! is that process, and aborts without them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use adapter::fallback::{self, ConfinedCommand, Widening, confine};
use component::{ExternalRuntime, RuntimeCommand};

use crate::failure::Failure;

/// The kind of a runtime, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Node,
    Deno,
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        match name {
            "node" => Some(Self::Node),
            "deno" => Some(Self::Deno),
            _ => None,
        }
    }

    /// Returns the arguments with which it runs a program that is given here.
    fn arguments(self, program: &str, folders: &[PathBuf]) -> Vec<OsString> {
        match self {
            Self::Node => ["--input-type=module", "--no-warnings", "-e", program].map(OsString::from).into(),
            Self::Deno => {
                let url = format!("data:application/javascript,{}", encoded(program));
                let fixed = ["run", "--quiet", "--no-prompt", "--no-remote"].map(OsString::from);
                let reads = folders.iter().map(|it| OsString::from(format!("--allow-read={}", it.display())));
                fixed.into_iter().chain(reads).chain([url.into()]).collect()
            }
        }
    }
}

/// Returns a text as a part of a URL.
fn encoded(text: &str) -> String {
    let plain = |it: u8| it.is_ascii_alphanumeric() || b"-_.~".contains(&it);
    let each = |it: u8| if plain(it) { char::from(it).to_string() } else { format!("%{it:02X}") };
    text.bytes().map(each).collect()
}

/// Returns the runtimes, each `NAME` or `NAME=PATH`; of several with one name, the first.
///
/// # Errors
/// A name is not known.
pub(crate) fn runtimes(
    wanted: &[String],
    fallback: &fallback::Config,
) -> Result<Vec<ExternalRuntime>, Failure> {
    let mut runtimes: Vec<ExternalRuntime> = Vec::new();
    for wanted in wanted {
        let (name, path) = match wanted.split_once('=') {
            Some((name, path)) => (name, Some(PathBuf::from(path))),
            None => (wanted.as_str(), None),
        };
        let kind = Kind::named(name)
            .ok_or_else(|| format!("there is no runtime `{name}` for scripts; there are node and deno"))?;
        if runtimes.iter().all(|it| it.name != name) {
            let (config, program) = (fallback.clone(), path.unwrap_or_else(|| PathBuf::from(name)));
            let find = move |roots: &[PathBuf]| command(kind, &program, roots, &config);
            runtimes.push(ExternalRuntime::new(name, find));
        }
    }
    Ok(runtimes)
}

fn command(
    kind: Kind,
    program: &PathBuf,
    roots: &[PathBuf],
    config: &fallback::Config,
) -> Result<RuntimeCommand, String> {
    let found = which::which(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let program = found.canonicalize().map_err(|error| format!("{}: {error}", found.display()))?;
    if !config.wall {
        return Err(
            "this machine cannot build the wall that it would run behind; see `dialect doctor`".to_owned()
        );
    }
    let id = format!("script-{}", program.file_name().unwrap_or_default().to_string_lossy());
    let confined = confine(&id, roots, &program, &Widening::default(), Duration::ZERO, config);
    let ConfinedCommand { program, mut arguments, environment } =
        confined.map_err(|error| format!("it cannot be confined: {error}"))?;
    arguments.extend(kind.arguments(&script_protocol::external(), roots));
    Ok(RuntimeCommand { program, arguments, environment: environment.into_iter().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_a_url_for_deno() {
        let arguments = Kind::Deno.arguments("a('é')", &["/w".into()]);
        assert_eq!(arguments[4], "--allow-read=/w");
        assert_eq!(arguments[5], "data:application/javascript,a%28%27%C3%A9%27%29");
    }
}
