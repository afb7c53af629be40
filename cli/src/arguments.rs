//! The command line.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use adapter::fallback::Level;
use adapter::supervise::{SupervisorOptions, Wall, supervise};
use clap::{Args, Parser, Subcommand};

use crate::ailang::Nested;
use crate::logs::Logging;
use crate::{Failure, agent, audit, doctor, eval, fmt, grants, proxies, repl, trusted};

/// Gives a coding agent the eyes of an IDE: one tool that finds definitions and references, searches and reads.
///
/// In an editor that speaks the Agent Client Protocol, put `dialect agent --` before the agent's own command.
#[derive(Debug, Parser)]
#[command(name = "dialect", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) logging: Logging,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an ACP agent with the tool added to each of its sessions
    ///
    /// Speaks ACP on standard input and output, as the agent itself would: an editor starts this instead of the
    /// agent. For Zed: "agent_servers": {"With Dialect": {"command": "dialect", "args": ["agent", "--", "<agent>"]}}
    Agent(Agent),
    /// Run the proxy toward the editor alone, for a conductor of your own
    Adapter(Adapter),
    /// Run the proxy toward the agent alone, for a conductor of your own
    Component(Component),
    /// Run one program against a workspace and print its value
    ///
    /// Takes the same way as an agent's tool call. A text is printed as it is, any other value as JSON, which is laid
    /// out for reading on a terminal. What is said beside the value, or why there is none, goes to standard error.
    /// Exit codes: 0 success, 1 failure, 2 wrong usage, 3 ambiguity.
    ///
    /// Examples:
    ///   dialect eval 'findReferences(`User`)'
    ///   dialect eval --workspace ~/src/project 'search(`src`, `TODO`)'
    ///   echo 'findDefinition(`main`)' | dialect eval -
    #[command(verbatim_doc_comment)]
    Eval(Eval),
    /// Run programs one after the other, as they are typed
    ///
    /// A program goes on over several lines while a bracket is open, and ends with an empty line at the latest. Tab
    /// completes names, Ctrl-C stops the program that runs, Ctrl-D ends. Reads from a pipe too.
    Repl(Repl),
    /// Lay programs out in lines that fit, in either form, with their comments
    ///
    /// Exit codes: 0 all is well, 1 with --check something would change, 2 something is no program or cannot be read.
    Fmt(Fmt),
    /// Look at interface documents: check them, explain codes, print them at a level of detail
    ///
    /// Exit codes: 0 all is well, 1 something is wrong with a document, 2 wrong usage, 3 something cannot be read.
    Ailang(Nested),
    /// Say which languages, servers and versions there are, what is missing, and what installs it
    ///
    /// Exit codes: 0 when every language of the workspace has its server, else 1.
    Doctor(Doctor),
    /// Show or change which workspaces are trusted or restricted; all others are confined
    Trust(trusted::Trusted),
    /// Show or take back what you have always allowed
    Grants(grants::Grants),
    /// Show what was asked, granted, denied, used and revoked
    ///
    /// Exit codes: 0, or 1 when a line is not the one that was written, or lines are missing.
    Audit(audit::Audit),
    /// Run a command, and end it with all that it started when its starter is gone
    #[command(hide = true)]
    Supervise(Supervise),
    /// Connect an agent's MCP client with the component that told it to start this
    #[command(hide = true)]
    Relay,
}

#[derive(Debug, Args)]
pub(crate) struct Agent {
    #[command(flatten)]
    pub(crate) trust: Trust,
    #[command(flatten)]
    pub(crate) read_only: ReadOnly,
    /// The agent's command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "AGENT COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Component {
    #[command(flatten)]
    pub(crate) read_only: ReadOnly,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ReadOnly {
    /// Refuse everything that writes, runs or reaches the network, without asking
    #[arg(long)]
    pub(crate) read_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Adapter {
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Args)]
#[group(id = "source", required = true, multiple = false)]
pub(crate) struct Source {
    /// The program; `-` reads it from standard input
    #[arg(group = "source", allow_hyphen_values = true)]
    pub(crate) program: Option<String>,
    /// A file that holds the program
    #[arg(long, group = "source")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// Files that hold a program each, which are rewritten; `-` or none is standard input to standard output
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing, and name what would change
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Repl {
    /// The workspace that is asked about, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Seconds after which a program is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Seconds to wait for language servers that still load, before the syntax of the files answers; 0 is not at all
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Run nothing: say what is wrong with the program, or what running it would do
    #[arg(long)]
    pub(crate) check: bool,
    /// The workspace that is asked about, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Print one JSON object: outcome, value and notes, or outcome and message
    #[arg(long)]
    pub(crate) json: bool,
    /// Seconds after which the program is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Seconds to wait for language servers that still load, before the syntax of the files answers; 0 is not at all
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The workspace that is looked at, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Trust {
    /// How far the workspace is trusted, whatever you said of it before
    ///
    /// restricted: language servers run nothing of it, and know less for it.
    /// confined: they run what they need, its build scripts and macros among it, behind a wall of the operating system
    /// that keeps them from your files, the network and other programs. The default where there is such a wall.
    /// trusted: they run what they need with your own rights, and its settings count.
    #[arg(long, value_name = "LEVEL", verbatim_doc_comment)]
    level: Option<Level>,
    /// The same as --level trusted
    #[arg(long, conflicts_with = "level")]
    trust: bool,
}

impl Trust {
    /// Sets a fallback up for it, with walls where this machine can build them.
    ///
    /// # Errors
    /// A wall is asked for and there is none.
    pub(crate) fn set_up(self, config: &mut adapter::fallback::Config) -> Result<(), Failure> {
        config.build_walls();
        config.level = if self.trust { Some(Level::Trusted) } else { self.level };
        // The wall was tried already; once more only tells why there is none.
        match config
            .level
            .filter(|it| *it == Level::Confined && !config.wall)
            .map(|_| adapter::fallback::wall())
        {
            Some(Err(absent)) => Err(format!(
                "no workspace can be confined on this machine: {absent}; `--level restricted` works"
            )
            .into()),
            _ => Ok(()),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Supervise {
    /// How long the command may go on once its starter is gone, in milliseconds
    #[arg(long, default_value_t = 0)]
    patience: u64,
    /// Give it a temporary folder of its own, which is removed when it has ended
    #[arg(long)]
    scratch: bool,
    /// Let it reach only what this wall names, as JSON
    #[arg(long, value_parser = wall)]
    wall: Option<Wall>,
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl Supervise {
    pub(crate) fn run(self) -> ExitCode {
        let (command, arguments) = self.command.split_first().expect("clap requires one");
        let Self { patience, scratch, ref wall, .. } = self;
        let terms =
            SupervisorOptions { patience: Duration::from_millis(patience), scratch, wall: wall.clone() };
        supervise(command, arguments, terms)
    }
}

impl Command {
    pub(crate) async fn run(self) -> Result<ExitCode, Failure> {
        self.hint();
        match self {
            Self::Agent(arguments) => agent::run(arguments).await,
            Self::Adapter(arguments) => proxies::adapter(arguments.trust).await,
            Self::Component(arguments) => proxies::component(arguments).await,
            Self::Eval(arguments) => eval::run(arguments).await,
            Self::Repl(arguments) => repl::run(arguments).await,
            Self::Fmt(arguments) => fmt::run(&arguments),
            Self::Doctor(arguments) => doctor::run(arguments).await,
            Self::Trust(arguments) => trusted::run(arguments),
            Self::Grants(arguments) => grants::run(arguments),
            Self::Audit(arguments) => audit::run(arguments),
            Self::Supervise(_) | Self::Relay | Self::Ailang(_) => {
                unreachable!("run before there is a runtime")
            }
        }
    }
}

impl Command {
    /// For those who start by hand what an editor or a conductor starts.
    fn hint(&self) {
        let speaks_acp = matches!(self, Self::Agent(_) | Self::Adapter(_) | Self::Component(_));
        if speaks_acp && std::io::stdin().is_terminal() {
            eprintln!(
                "This speaks ACP on standard input and output: an editor starts it. See `dialect help`."
            );
        }
    }
}

/// This very executable, which relays and supervisors are started from.
pub(crate) fn executable() -> Result<PathBuf, Failure> {
    let found = std::env::current_exe();
    Ok(found.map_err(|error| format!("the path of this executable cannot be found: {error}"))?)
}

/// The workspace that is meant: a folder, the current one by default.
pub(crate) fn workspace(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = given.unwrap_or(Path::new("."));
    let found = path.canonicalize().map_err(|error| format!("the workspace {}: {error}", path.display()))?;
    if !found.is_dir() {
        return Err(format!("the workspace {} is not a folder", path.display()).into());
    }
    if found.to_str().is_none() {
        let path = found.display();
        return Err(format!(
            "the path of the workspace {path} is not UTF-8, and no message can name it. Rename the folder"
        )
        .into());
    }
    Ok(found)
}

fn wall(written: &str) -> Result<Wall, String> {
    serde_json::from_str(written).map_err(|error| error.to_string())
}

fn seconds(written: &str) -> Result<Duration, String> {
    let seconds = written.parse().ok().and_then(|it| Duration::try_from_secs_f64(it).ok());
    seconds.ok_or_else(|| "a number of seconds from 0 on is wanted".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn a_workspace_that_no_message_can_name_is_an_error() {
        use std::os::unix::ffi::OsStrExt;
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
        std::fs::create_dir(&folder).unwrap();
        let error = workspace(Some(&folder)).unwrap_err().to_string();
        assert!(error.contains("is not UTF-8") && error.ends_with("Rename the folder"), "{error}");
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }
}
