//! The command line of `dialect`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use adapter::fallback::Level;
use adapter::supervise::{SupervisorOptions, Wall, supervise};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::ailang::Nested;
use crate::failure::Failure;
use crate::logs::Logging;
use crate::{audit, grants, plugins, script_config, trusted};

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
    /// Run an ACP agent, and give each of its sessions the tool
    ///
    /// Speaks ACP on standard input and output like the agent itself: an editor starts this instead of the agent.
    /// For Zed: "agent_servers": {"With Dialect": {"command": "dialect", "args": ["agent", "--", "<agent>"]}}
    Agent(Agent),
    /// Run only the proxy toward the editor, for a conductor of your own
    Adapter(Adapter),
    /// Run only the proxy toward the agent, for a conductor of your own
    Component(Component),
    /// Run one program against a workspace and print its value
    ///
    /// Runs through the same chain as an agent's tool call. A text is printed as it is; any other value is
    /// printed as JSON, formatted when standard output is a terminal. Notes and errors go to standard error, and
    /// so does progress: one line on a terminal, a line every few seconds elsewhere. Control characters in texts
    /// of the workspace are escaped on a terminal, and unchanged in a pipe.
    ///
    /// With --json, standard output gets one JSON object, whatever happens:
    ///   {"outcome": "success", "value": …, "notes": […]}
    ///   {"outcome": "failure", "message": "…"}
    ///   {"outcome": "ambiguity", "message": "…", "candidates": [{"description": "…", "program": "…"}, …]}
    ///
    /// Exit codes: 0 success, 1 failure, 2 wrong usage, 3 ambiguity.
    ///
    /// Examples:
    ///   dialect eval 'findReferences(`User`)'
    ///   dialect eval --workspace ~/src/project 'search(`src`, `TODO`)'
    ///   dialect eval --file c.dialect --json
    ///   echo 'findDefinition(`main`)' | dialect eval -
    #[command(verbatim_doc_comment)]
    Eval(Eval),
    /// Run one TypeScript program against a workspace, as the tool `script` does
    ///
    /// The program calls the functions of `ide`, of `fs` and of plugins, with `await`. What it prints and returns goes
    /// to standard output. Changes of files are shown; with --write they are made, all of them or none.
    ///
    /// Exit codes: 0 success, 1 failure, 2 wrong usage, 3 a call has several meanings.
    ///
    /// Examples:
    ///   dialect script "return (await ide.findReferences('User')).length"
    ///   dialect script --file migrate.ts --write
    #[command(verbatim_doc_comment)]
    Script(Script),
    /// Run programs interactively, with the names that earlier ones bound
    ///
    /// `x = findDefinition(`User`)` binds `x` for the programs after it, until another one binds it. A program that
    /// fails or asks binds nothing, and functions are not kept. `:bindings` lists the names, `:help` the rest.
    /// A program continues on the next line while a bracket is open; an empty line ends it. Tab completes functions,
    /// arguments and bound names, and paths and symbols between backticks. Ctrl-C stops the running program and
    /// Ctrl-D quits. Reads programs from a pipe too.
    ///
    /// Exit codes: 0 at the end of the input, whatever came of the programs; 1 when the input cannot be read or the
    /// workspace cannot be served, or after a signal; 2 wrong usage.
    Repl(Repl),
    /// Format programs, in either notation, and keep their comments
    ///
    /// With --to, programs in the other notation are converted; one with comments is refused, since they would be lost.
    ///
    /// Exit codes: 0 success, 1 with --check when a file is not formatted, 2 when a file cannot be read or converted, or
    /// is not a program.
    ///
    /// Examples:
    ///   dialect fmt --check programs/*.dialect
    ///   echo 'count([1, 2])' | dialect fmt --to json
    #[command(verbatim_doc_comment)]
    Fmt(Fmt),
    /// Work on interface documents: check, format, print and explain them
    ///
    /// Exit codes: 0 success, 1 a document has errors, 2 wrong usage, 3 a file cannot be read or written.
    Ailang(Nested),
    /// Show the languages of a workspace, their servers and versions, and how to install missing ones
    ///
    /// Exit codes: 0 when every main language of the workspace has its server, 1 otherwise.
    Doctor(Doctor),
    /// Show or change which workspaces are trusted or restricted; all others are confined
    Trust(trusted::Trusted),
    /// Show or revoke the permissions that you granted for good
    Grants(grants::Grants),
    /// Offer the IDE functions as a plugin, on standard input and output, to a host that speaks Scriptling's protocol
    ///
    /// Functions take their arguments by position or by name. Those that change files are not offered.
    Plugin(PluginServer),
    /// List, add, remove, trust and check plugins: programs that offer functions
    Plugins(plugins::Plugins),
    /// Show the audit log: what was requested, granted, denied, used and revoked
    ///
    /// Exit codes: 0 success, 1 when entries were changed or are missing.
    Audit(audit::Audit),
    /// Show numbers about functions and tools, from the audit log: runs, errors, denials, durations
    Stats(crate::stats::Stats),
    /// Run a command, and stop it with all of its processes when the process that started this is gone
    #[command(hide = true)]
    Supervise(Supervise),
    /// Make the changes of files that come over standard input, all of them or none, whatever becomes of their sender
    #[command(hide = true)]
    WriteFiles,
    /// Run one program of the tool `script`, which comes over standard input
    #[command(hide = true)]
    ScriptWorker,
    /// Connect an agent's MCP client to the component that started the session
    #[command(hide = true)]
    Relay,
}

/// Plugins for one run.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plugins {
    /// A plugin: a program that offers functions in Scriptling's protocol; may be repeated
    ///
    /// Its functions are called by their names, or by the plugin's name and theirs: hello.greet(`Ada`). It comes before
    /// those of your settings. It runs behind a wall where this machine can build one.
    #[arg(long = "plugin", value_name = "PATH")]
    pub(crate) plugins: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Agent {
    #[command(flatten)]
    pub(crate) trust: Trust,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) read_only: ReadOnly,
    #[command(flatten)]
    pub(crate) description: DescriptionSize,
    #[command(flatten)]
    pub(crate) scripts: ScriptTool,
    /// The agent's command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "AGENT COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Component {
    #[command(flatten)]
    pub(crate) read_only: ReadOnly,
    #[command(flatten)]
    pub(crate) description: DescriptionSize,
    #[command(flatten)]
    pub(crate) scripts: ScriptTool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ScriptRuntimes {
    /// A runtime that scripts may choose, besides the one within: node, deno or bun; may be repeated
    ///
    /// Its programs import packages of the workspace. It runs behind a wall: it writes nowhere, and has no network. Options
    /// follow the name or path: `bun,unconfined` runs it without the wall, as Bun needs; `node,unconfined,http` exchanges
    /// its calls over a port of loopback that a token guards, for runtimes whose standard streams are taken.
    #[arg(long = "script-runtime", value_name = "NAME[=PATH][,OPTION]")]
    pub(crate) runtimes: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ScriptTool {
    /// Do not offer the second tool, `script`, which runs a TypeScript program that calls the same functions, and files
    /// of the workspace
    #[arg(long)]
    pub(crate) no_script: bool,
    #[command(flatten)]
    pub(crate) runtimes: ScriptRuntimes,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct DescriptionSize {
    /// The tokens that the tool's description may cost in each session: 1500 teach an agent best, 700 the least of it.
    /// The names of all functions are always there
    #[arg(long, value_name = "NUMBER", default_value_t = 1500)]
    pub(crate) description_tokens: usize,
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
    /// A file that contains the program
    #[arg(long, group = "source")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// The files to rewrite, one program each; `-` or none formats standard input to standard output
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; list the files that are not formatted, or not in the notation of --to
    #[arg(long)]
    pub(crate) check: bool,
    /// Convert the programs to this notation, instead of keeping that of each
    #[arg(long, value_name = "NOTATION")]
    pub(crate) to: Option<Notation>,
}

/// A notation of programs.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Notation {
    /// JSON, as programs write it: {"count": [[1, 2]]}
    Json,
    /// Text, as people write it: count([1, 2])
    Text,
}

#[derive(Debug, Args)]
pub(crate) struct Repl {
    /// The workspace to query, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The time limit of each program, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Seconds to wait for language servers that are still loading, before answers come from the syntax alone; 0
    /// does not wait
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Run nothing: report errors in the program, or what it would do
    #[arg(long)]
    pub(crate) check: bool,
    /// The workspace to query, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Print one JSON object to standard output: the outcome with its value, message or candidates
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the value as agents read it: lists of places as lines
    #[arg(long, conflicts_with = "json")]
    pub(crate) compact: bool,
    /// The time limit of the program, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Seconds to wait for language servers that are still loading, before answers come from the syntax alone; 0
    /// does not wait
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Args)]
#[group(id = "source", required = true, multiple = false)]
pub(crate) struct ScriptSource {
    /// The program; `-` reads it from standard input
    #[arg(group = "source", allow_hyphen_values = true)]
    pub(crate) program: Option<String>,
    /// A file that contains the program
    #[arg(long, group = "source")]
    pub(crate) file: Option<PathBuf>,
    /// Run nothing: print TypeScript declarations of everything that a program can call
    #[arg(long, group = "source")]
    pub(crate) types: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Script {
    #[command(flatten)]
    pub(crate) source: ScriptSource,
    /// The workspace, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Data for the program, its global `args`
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Option<serde_json::Value>,
    /// Make the changes of the program
    #[arg(long)]
    pub(crate) write: bool,
    /// Run it in this runtime, whose programs import packages of the workspace: node, deno or bun, as for
    /// --script-runtime of `dialect agent`
    #[arg(long, value_name = "NAME[=PATH][,OPTION]")]
    pub(crate) runtime: Option<String>,
    /// The time limit of the program, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// The number of calls that the program may make, from 1 to 1000; 256 if your settings say no other
    #[arg(long, value_name = "NUMBER", value_parser = script_calls)]
    pub(crate) calls: Option<usize>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

fn script_calls(text: &str) -> Result<usize, String> {
    script_config::checked(text.parse().map_err(|_| "expected a number".to_owned())?)
}

#[derive(Debug, Args)]
pub(crate) struct PluginServer {
    /// The workspace to query, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The time limit of each call, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Seconds to wait for language servers that are still loading, before answers come from the syntax alone; 0
    /// does not wait
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The workspace to check, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Trust {
    /// The level of trust for the workspace, in place of your saved choice
    ///
    /// - restricted: language servers run no code of the workspace, and know less.
    /// - confined: language servers run what they need, including build scripts and macros, behind a wall (a sandbox of
    ///   the operating system). It keeps them from your files, the network and other programs. This is the default.
    ///   Where the machine cannot build a wall, the default is restricted.
    /// - trusted: language servers run what they need with your own rights, and the settings of the workspace count.
    #[arg(long, value_name = "LEVEL", verbatim_doc_comment)]
    level: Option<Level>,
    /// Short for --level trusted
    #[arg(long, conflicts_with = "level")]
    trust: bool,
}

impl Trust {
    /// Configures a fallback for this level, with a wall where this machine can build one.
    ///
    /// # Errors
    /// The level is `confined`, and this machine cannot build a wall.
    pub(crate) fn set_up(self, config: &mut adapter::fallback::Config) -> Result<(), Failure> {
        config.build_walls();
        config.level = if self.trust { Some(Level::Trusted) } else { self.level };
        // `build_walls` tried already; this repeats it to get the reason.
        match config
            .level
            .filter(|it| *it == Level::Confined && !config.wall)
            .map(|_| adapter::fallback::wall())
        {
            Some(Err(absent)) => Err(format!(
                "no workspace can be confined on this machine: {absent}. Use `--level restricted`"
            )
            .into()),
            _ => Ok(()),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Supervise {
    /// The time the command may run once the process that started this is gone, in milliseconds
    #[arg(long, default_value_t = 0)]
    patience: u64,
    /// Give the command a temporary folder of its own, and remove it at the end
    #[arg(long)]
    scratch: bool,
    /// Restrict the command to what this wall allows, as JSON
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

fn wall(written: &str) -> Result<Wall, String> {
    serde_json::from_str(written).map_err(|error| error.to_string())
}

fn seconds(written: &str) -> Result<Duration, String> {
    let seconds = written.parse().ok().and_then(|it| Duration::try_from_secs_f64(it).ok());
    seconds.ok_or_else(|| "expected a number of seconds, at least 0".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }
}
