//! The arguments of the commands that run proxies, and what they share with others.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::Trust;

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

/// Folders of skills.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SkillFolders {
    /// A folder of skills: interface documents (*.md), and packages with an ailang.json; may be repeated
    ///
    /// Their tools are functions of programs, and skill(name) shows an agent as much of one as the tokens allow. A folder
    /// of the workspace is taken if you name it here, and not by itself. It comes before those of your settings.
    #[arg(long = "skills", value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// The tokens that the texts of skills may take in the agent's context, by default 8000
    #[arg(long = "skill-tokens", value_name = "NUMBER")]
    pub(crate) tokens: Option<usize>,
}

/// The settings of the chain for programs of agents.
#[derive(Debug, Args)]
pub(crate) struct AgentChain {
    #[command(flatten)]
    pub(crate) trust: Trust,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) skills: SkillFolders,
    #[command(flatten)]
    pub(crate) read_only: ReadOnly,
    #[command(flatten)]
    pub(crate) description: DescriptionSize,
    #[command(flatten)]
    pub(crate) words: Words,
    #[command(flatten)]
    pub(crate) scripts: ScriptTool,
}

/// The option about the editor's language servers.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct EditorServers {
    /// Ask the language servers that the editor runs, where it lends them by the draft `lsp/request` of ACP
    ///
    /// Answers are then about the editor's unsaved texts. Servers of our own answer what those do not.
    #[arg(long)]
    pub(crate) editor_servers: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Agent {
    #[command(flatten)]
    pub(crate) chain: AgentChain,
    #[command(flatten)]
    pub(crate) servers: EditorServers,
    /// Speak the draft of version 2 of ACP, where the editor asks for it and the agent has it
    #[cfg(feature = "acp-draft")]
    #[arg(long)]
    pub(crate) acp_draft: bool,
    /// The agent's command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "AGENT COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// The folder that programs are about; may be repeated
    ///
    /// The first one is meant where a request does not name another in its _meta: "dialect/workspace". Without this
    /// option it is the variable DIALECT_WORKSPACE, or else the current folder. Over HTTP, no others are served.
    #[arg(long = "workspace", value_name = "DIR")]
    pub(crate) workspaces: Vec<PathBuf>,
    /// Listen for streamable HTTP at this address, and not on standard input: 127.0.0.1:8765, with the path /mcp
    ///
    /// With the variable DIALECT_MCP_TOKEN, clients have to show it as a bearer token; other machines need one.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<SocketAddr>,
    /// Let programs change files without asking, for clients that cannot ask their user (without elicitation)
    #[arg(long, conflicts_with = "read_only")]
    pub(crate) allow_write: bool,
    #[command(flatten)]
    pub(crate) chain: AgentChain,
}

#[derive(Debug, Args)]
pub(crate) struct Component {
    #[command(flatten)]
    pub(crate) read_only: ReadOnly,
    #[command(flatten)]
    pub(crate) description: DescriptionSize,
    #[command(flatten)]
    pub(crate) words: Words,
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

/// The options about words that the agent gets without asking.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Words {
    /// Do not add a few lines about the tool to the agent's system prompt, where the agent takes such additions
    #[arg(long)]
    pub(crate) no_system_prompt: bool,
    /// Do not look between the agent's calls for errors that its edits brought, and name none in the next answer
    #[arg(long)]
    pub(crate) no_edit_checks: bool,
}

impl Words {
    /// Adds them to the settings of the component.
    pub(crate) fn set_up(self, config: &mut component::Config) {
        config.adds_to_system_prompt = !self.no_system_prompt;
        config.checks_edits = !self.no_edit_checks;
    }
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
    #[command(flatten)]
    pub(crate) servers: EditorServers,
}
