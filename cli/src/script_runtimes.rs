//! The external runtimes of the tool `script`: Node.js, Deno and Bun, as the command line or the user's settings name them:
//! `NAME[=PATH][,OPTION…]`.
//!
//! They run behind the wall of plugins: they read the workspace and their installation, write nowhere and have no network.
//! `unconfined` is the user's word that one may run without it; it has the permissions then that the runtime itself can
//! refuse. `http` sends its frames to a port of loopback instead of its standard streams, which the wall does not permit.
//!
//! Bun needs `unconfined`. It reads files about its own process in `/proc`, which no rule of the wall can name before there
//! is that process, and aborts without them.

use std::ffi::OsString;
use std::iter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adapter::fallback::{self, ConfinedCommand, Origin, Widening, confine, grounds};
use component::{ExternalRuntime, FrameTransport, RuntimeCommand};
use confinement::Bounds;

use crate::failure::Failure;

/// The kind of a runtime, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Node,
    Deno,
    Bun,
}

/// The first version of Node.js whose permissions are no experiment.
const NODE_PERMISSIONS: (u32, u32) = (22, 13);

/// Reads the start of a version: `v22.13.1`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().strip_prefix('v')?.split('.').map(|it| it.parse().ok());
    Some((parts.next()??, parts.next()??))
}

/// A runtime that the user named.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    name: String,
    kind: Kind,
    program: PathBuf,
    is_confined: bool,
    transport: FrameTransport,
}

impl Wanted {
    /// Reads `NAME[=PATH][,OPTION…]`.
    fn parse(text: &str) -> Result<Self, String> {
        let (named, options) = text.split_once(',').unwrap_or((text, ""));
        let (name, program) = named.split_once('=').unwrap_or((named, named));
        let kind = match name {
            "node" => Kind::Node,
            "deno" => Kind::Deno,
            "bun" => Kind::Bun,
            _ => {
                return Err(format!(
                    "there is no runtime `{name}` for scripts; there are node, deno and bun"
                ));
            }
        };
        let (name, program) = (name.to_owned(), PathBuf::from(program));
        let mut wanted = Self { name, kind, program, is_confined: true, transport: FrameTransport::Streams };
        for option in options.split(',').filter(|it| !it.is_empty()) {
            match option {
                "unconfined" => wanted.is_confined = false,
                "http" => wanted.transport = FrameTransport::Loopback,
                _ => {
                    return Err(format!(
                        "`{text}`: there is no option `{option}`; there are unconfined and http"
                    ));
                }
            }
        }
        let missing = match (wanted.kind, wanted.transport) {
            _ if !wanted.is_confined => None,
            (Kind::Bun, _) => Some("Bun aborts behind the wall"),
            (_, FrameTransport::Loopback) => Some("nothing behind the wall can connect to a port"),
            _ => None,
        };
        match missing {
            Some(why) => {
                Err(format!("`{text}`: {why}; write `{text},unconfined` to run it without the wall"))
            }
            None => Ok(wanted),
        }
    }

    /// Returns the arguments with which it runs a program that is given here.
    fn arguments(&self, program: &str, folders: &[PathBuf]) -> Vec<OsString> {
        let strings = |it: &[&str]| it.iter().map(OsString::from).collect::<Vec<_>>();
        match self.kind {
            Kind::Bun => strings(&["-e", program]),
            Kind::Node => strings(&["--input-type=module", "--no-warnings", "-e", program]),
            Kind::Deno => {
                let url = format!("data:application/javascript,{}", encoded(program));
                let mut arguments = strings(&["run", "--quiet", "--no-prompt", "--no-remote"]);
                arguments.push(
                    "--allow-env=DIALECT_ENDPOINT,DIALECT_TOKEN,NODE_V8_COVERAGE,NODE_EXTRA_CA_CERTS".into(),
                );
                if self.transport == FrameTransport::Loopback {
                    arguments.push("--allow-net=127.0.0.1".into());
                }
                arguments.extend(folders.iter().map(|it| format!("--allow-read={}", it.display()).into()));
                arguments.push(url.into());
                arguments
            }
        }
    }

    /// Returns the arguments with which the runtime itself refuses what it can, where no wall does; blocking.
    fn permissions(&self, program: &Path, roots: &[PathBuf]) -> Vec<OsString> {
        let has_model = || {
            let output = std::process::Command::new(program).arg("--version").output().ok()?;
            Some(version(&String::from_utf8_lossy(&output.stdout))? >= NODE_PERMISSIONS)
        };
        // Deno has its permissions anyway, and Bun has none.
        match self.kind {
            Kind::Node if has_model() == Some(true) => {
                let reads = roots.iter().map(|it| format!("--allow-fs-read={}", it.display()).into());
                iter::once("--permission".into()).chain(reads).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Finds the program. A name alone means one of the user's, not one that the workspace put in the search path.
    fn found(&self, roots: &[PathBuf]) -> Result<PathBuf, String> {
        let named = &self.program;
        let bounds = Bounds::new(None, grounds(roots));
        let mut all = which::which_all(named).map_err(|error| format!("{}: {error}", named.display()))?;
        let is_path = named.components().count() > 1;
        let found = all.find(|it| is_path || !bounds.is_of_workspace(it));
        found.ok_or_else(|| format!("{}: only the workspace has one; name its path", named.display()))
    }

    /// Returns the command that runs the runtime for the folders of a session.
    fn command(&self, roots: &[PathBuf], config: &fallback::Config) -> Result<RuntimeCommand, String> {
        let found = self.found(roots)?;
        let program = found.canonicalize().map_err(|error| format!("{}: {error}", found.display()))?;
        let permissions = if self.is_confined { Vec::new() } else { self.permissions(&program, roots) };
        let (program, mut arguments, environment) = match self.is_confined {
            true => confined(&program, roots, config)?,
            false => supervised(&program, config),
        };
        arguments.extend(permissions);
        arguments.extend(self.arguments(&script_protocol::external(), roots));
        Ok(RuntimeCommand { program, arguments, environment, transport: self.transport })
    }
}

/// Returns a text as a part of a URL.
fn encoded(text: &str) -> String {
    let plain = |it: u8| it.is_ascii_alphanumeric() || b"-_.~".contains(&it);
    let each = |it: u8| if plain(it) { char::from(it).to_string() } else { format!("%{it:02X}") };
    text.bytes().map(each).collect()
}

/// Returns the runtimes, each `NAME[=PATH][,OPTION…]`; of several with one name, the first.
///
/// # Errors
/// A name or an option is not known, or the wall does not permit what it needs.
pub(crate) fn runtimes(
    wanted: &[String],
    fallback: &fallback::Config,
) -> Result<Vec<ExternalRuntime>, Failure> {
    let mut runtimes: Vec<ExternalRuntime> = Vec::new();
    for wanted in wanted {
        let wanted = Wanted::parse(wanted)?;
        if runtimes.iter().all(|it| it.name != wanted.name) {
            let (name, config) = (wanted.name.clone(), fallback.clone());
            runtimes.push(ExternalRuntime::new(name, move |roots| wanted.command(roots, &config)));
        }
    }
    Ok(runtimes)
}

/// A program, its arguments and its environment.
type Command = (PathBuf, Vec<OsString>, Vec<(OsString, OsString)>);

/// Returns the command of a program behind the wall.
fn confined(program: &Path, roots: &[PathBuf], config: &fallback::Config) -> Result<Command, String> {
    if !config.wall {
        return Err(
            "this machine cannot build the wall that it would run behind; see `dialect doctor`".to_owned()
        );
    }
    let id = format!("script-{}", program.file_name().unwrap_or_default().to_string_lossy());
    let confined =
        confine(&id, roots, (program, Origin::Installed), &Widening::default(), Duration::ZERO, config);
    let ConfinedCommand { program, arguments, environment } =
        confined.map_err(|error| format!("it cannot be confined: {error}"))?;
    Ok((program, arguments, environment))
}

/// Returns the command of a program without a wall. It ends with its input, and what it started with it; its temporary
/// folder is its own.
fn supervised(program: &Path, config: &fallback::Config) -> Command {
    let arguments = ["supervise", "--scratch", "--patience", "0", "--"];
    let arguments = arguments.iter().map(OsString::from).chain([program.into()]).collect();
    let kept = ["PATH", "HOME", "LANG"].map(OsString::from);
    let mut environment: Vec<(OsString, OsString)> =
        kept.into_iter().filter_map(|it| std::env::var_os(&it).map(|value| (it, value))).collect();
    environment.extend([("NO_COLOR".into(), "1".into()), ("TZ".into(), "UTC".into())]);
    (config.supervisor.clone(), arguments, environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_a_url_for_deno() {
        let arguments = Wanted::parse("deno").unwrap().arguments("a('é')", &["/w".into()]);
        assert_eq!(arguments[5], "--allow-read=/w");
        assert_eq!(arguments[6], "data:application/javascript,a%28%27%C3%A9%27%29");
    }

    #[test]
    fn options_that_the_wall_does_not_permit_need_the_users_word() {
        let wanted = Wanted::parse("node=/opt/node,unconfined,http").unwrap();
        assert_eq!((wanted.program, wanted.is_confined), ("/opt/node".into(), false));
        assert_eq!(wanted.transport, FrameTransport::Loopback);
        assert!(Wanted::parse("node").unwrap().is_confined);
        assert_eq!(version("v22.13.1\n"), Some((22, 13)));
        for (text, expected) in [
            ("ruby", "there are node, deno and bun"),
            ("node,fast", "there is no option `fast`"),
            ("bun", "write `bun,unconfined`"),
            ("node,http", "write `node,http,unconfined`"),
        ] {
            let why = Wanted::parse(text).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
    }
}
