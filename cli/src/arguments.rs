//! The command line of `dialect`.

mod help;
mod programs;
mod proxies;
mod supervise;
mod trust;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
pub(crate) use help::parsed;
pub(crate) use programs::{Eval, Fmt, Notation, PluginServer, Repl, Script, ScriptSource, Source};
pub(crate) use proxies::{Adapter, Agent, AgentChain, Component, Mcp, Plugins, ScriptTool, SkillFolders};
pub(crate) use supervise::Supervise;
pub(crate) use trust::Trust;

use crate::ailang::Nested;
use crate::logs::Logging;
use crate::{audit, check_editor, grants, plugins, server, setup, skills, trusted};

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
    /// `dialect setup` writes the settings of the common editors. For Zed they are:
    /// "agent_servers": {"Dialect": {"type": "custom", "command": "dialect", "args": ["agent", "--", "<agent>"]}}
    Agent(Agent),
    /// Serve the tools to an MCP client, for agents and editors that do not speak ACP
    ///
    /// Speaks MCP on standard input and output: a client starts this. With --http it listens at an address. It speaks the
    /// stateless revision 2026-07-28 and the older ones. Before a program changes files, the user is asked through the
    /// client (elicitation); a client that cannot ask needs --allow-write.
    ///
    /// Examples:
    ///   claude mcp add dialect -- dialect mcp --workspace ~/src/project
    ///   dialect mcp --workspace . --http 127.0.0.1:8765
    #[command(verbatim_doc_comment)]
    Mcp(Mcp),
    /// Write the settings with which an agent or an editor starts Dialect
    ///
    /// Agents get it as an MCP server, `dialect mcp`; editors that speak ACP start `dialect agent -- AGENT`. Shows the
    /// difference and asks before it writes; your comments and formatting stay. --remove undoes exactly what was written.
    /// Without a client, those on this machine are listed.
    ///
    /// Exit codes: 0 success, 1 when nothing was written because you did not agree or the settings cannot be read, 2 wrong
    /// usage.
    ///
    /// Examples:
    ///   dialect setup codex
    ///   dialect setup zed -- gemini --acp
    ///   dialect setup vscode --print
    ///   dialect setup zed --remove --yes
    #[command(verbatim_doc_comment)]
    Setup(setup::Setup),
    /// Run only the proxy toward the editor, for a conductor of your own
    Adapter(Adapter),
    /// Run only the proxy toward the agent, for a conductor of your own
    Component(Component),
    /// Run one program against a workspace and print its value
    ///
    /// Runs through the same chain as an agent's tool call. On a terminal, places are lines below their files, in
    /// colour unless NO_COLOR is set, and what is longer than the screen is cut. In a pipe, a text is printed as it
    /// is, and any other value as JSON. Notes and errors go to standard error, and so does progress: one line on a
    /// terminal, a line every few seconds elsewhere. Control characters in texts of the workspace are escaped on a
    /// terminal, and unchanged in a pipe.
    ///
    /// With --json, standard output gets one JSON object, whatever happens:
    ///   {"outcome": "success", "value": …, "notes": […]}, and the codes in its notes as
    ///   "reasons": [{"code": "…", "gap": true}, …]
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
    /// fails or asks binds nothing, and functions are not kept. `:bindings` lists the names, `:all` shows the whole of
    /// a value that was cut to the screen, `:help` the rest.
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
    /// Check an editor that answers IDE operations itself, for its author
    ///
    /// Starts COMMAND in a small workspace of its own, as the agent that the editor talks to, and asks for every operation
    /// that the editor advertises. EDITORS.md says what COMMAND has to show: the file that $DIALECT_CHECK_EDITOR names
    /// has it. COMMAND runs in that workspace, so name its files by whole paths.
    ///
    /// Exit codes: 0 when every operation that is there passed, 1 when one failed or none is there, 2 wrong usage.
    ///
    /// Examples:
    ///   dialect check-editor -- nvim --headless --clean -l "$PWD/examples/neovim/check.lua"
    ///   dialect check-editor --record exchange.jsonl -- my-editor --acp
    ///   dialect check-editor --recorded exchange.jsonl --json
    #[command(verbatim_doc_comment)]
    CheckEditor(check_editor::CheckEditor),
    /// Show the skills that an agent's session would have, how much of each is loaded at its start, and why
    ///
    /// Exit codes: 0 success, 1 when a document is left out, 2 wrong usage.
    ///
    /// Examples:
    ///   dialect skills --skills ~/skills
    ///   dialect skills --skills ~/skills --skill-tokens 2000 email github
    #[command(verbatim_doc_comment)]
    Skills(skills::List),
    /// Show the audit log: what was requested, granted, denied, used and revoked
    ///
    /// Exit codes: 0 success, 1 when entries were changed or are missing.
    Audit(audit::Audit),
    /// Show numbers about functions and tools, from the audit log: runs, errors, denials, durations
    Stats(crate::stats::Stats),
    /// Show or stop the background process, whose language servers all editors, agents and shells share
    ///
    /// It starts when somebody asks about code, and ends after 15 minutes without clients. Each of them answers by itself
    /// with --no-server, with `background = false` in your settings, or when the process cannot be had.
    ///
    /// Exit codes: 0 success, 1 when it does not run.
    Server(server::Arguments),
    /// Run a command, and stop it with all of its processes when the process that started this is gone
    #[command(hide = true)]
    Supervise(Supervise),
    /// Make the changes of files that come over standard input, all of them or none, whatever becomes of their sender
    #[command(hide = true)]
    WriteFiles,
    /// Run one program of the tool `script`, which comes over standard input
    #[command(hide = true)]
    ScriptWorker,
    /// Run the source of a plugin, which the environment holds, for the calls that come over standard input
    #[cfg(feature = "plugin-source")]
    #[command(hide = true)]
    SourceWorker,
    /// Connect an agent's MCP client to the component that started the session
    #[command(hide = true)]
    Relay,
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }
}
