//! The section of skills in the user's own settings. A workspace cannot offer skills.
//!
//! ```toml
//! [skills]
//! folders = ["~/skills"]     # besides those of --skills
//! tokens = 8000              # that the texts of skills may take in the context of an agent
//!
//! [skills.mcp.mail]          # an MCP server, which runs with your rights
//! command = "mail-server"
//! args = ["--account", "work"]
//! env = { LEVEL = "debug" }
//!
//! [skills.bind]              # code for tools without a body
//! "email.sendMail" = { mcp = "mail", tool = "send" }    # without `tool`: the one of the same name
//! countTodos = { plugin = "todo.count" }
//! ```

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use component::plugins::Launch;
use component::skills::SkillBinding;
use serde::Deserialize;

use crate::arguments::SkillFolders;
use crate::failure::Failure;
use crate::plugin_sources::expanded;
use crate::settings_file;

/// The tokens of the texts, if nobody says another number.
const TOKENS: usize = 8_000;

#[derive(Debug, Default, Deserialize)]
struct File {
    #[serde(default)]
    skills: SkillConfig,
}

/// The section `[skills]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SkillConfig {
    folders: Vec<PathBuf>,
    tokens: Option<usize>,
    mcp: BTreeMap<String, Server>,
    bind: BTreeMap<String, Binding>,
}

/// The way to start an MCP server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    command: PathBuf,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// The code of one tool.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Binding {
    mcp: Option<String>,
    tool: Option<String>,
    plugin: Option<String>,
}

impl SkillConfig {
    /// Reads the user's settings file, if there is one.
    ///
    /// # Errors
    /// The file cannot be read, or says something else than settings.
    pub(super) fn read() -> Result<Self, Failure> {
        let File { skills } = settings_file::read(|_| Ok(()))?;
        Ok(skills)
    }

    /// Returns the folders of the command line, then those of the settings.
    pub(super) fn folders(&self, given: &SkillFolders) -> Vec<PathBuf> {
        given.folders.iter().cloned().chain(self.folders.iter().map(|it| expanded(it))).collect()
    }

    /// Returns the tokens of the texts.
    pub(super) fn tokens(&self, given: &SkillFolders) -> usize {
        given.tokens.or(self.tokens).unwrap_or(TOKENS)
    }

    /// Returns the code of tools.
    ///
    /// # Errors
    /// A tool has none, or two.
    pub(super) fn bindings(&self) -> Result<BTreeMap<String, SkillBinding>, Failure> {
        self.bind.iter().map(|(name, it)| Ok((name.clone(), it.read(name)?))).collect()
    }

    /// Returns the ways to start MCP servers, each with a supervisor that ends it with this process.
    pub(super) fn servers(&self, supervisor: &Path) -> BTreeMap<String, Launch> {
        self.mcp.iter().map(|(name, it)| (name.clone(), it.launch(name, supervisor))).collect()
    }
}

impl Server {
    fn launch(&self, name: &str, supervisor: &Path) -> Launch {
        let mut launch = Launch::new(supervisor);
        let own = ["supervise", "--"].iter().map(OsString::from);
        let command = expanded(&self.command).into_os_string();
        launch.arguments = own.chain([command]).chain(self.args.iter().map(OsString::from)).collect();
        launch.environment = self.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        (launch.is_supervisor, launch.name) = (true, Some(name.to_owned()));
        launch
    }
}

impl Binding {
    fn read(&self, name: &str) -> Result<SkillBinding, Failure> {
        let Self { mcp, tool, plugin } = self.clone();
        match (mcp, plugin) {
            (Some(server), None) => {
                let own = || name.rsplit('.').next().unwrap_or(name).to_owned();
                Ok(SkillBinding::Mcp { server, tool: tool.unwrap_or_else(own) })
            }
            (None, Some(function)) if tool.is_none() => Ok(SkillBinding::Plugin(function)),
            _ => Err(format!(
                "[skills.bind] `{name}`: write {{ mcp = \"SERVER\", tool = \"NAME\" }} or {{ plugin = \"plugin.function\" }}"
            )
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_bound_to_one_thing() {
        let config: File = toml::from_str(
            "[skills]\ntokens = 9\n[skills.mcp.mail]\ncommand = \"m\"\nargs = [\"-v\"]\n[skills.bind]\n\
             \"email.send\" = { mcp = \"mail\" }\nlist = { plugin = \"todo.list\" }\n",
        )
        .unwrap();
        let bindings = config.skills.bindings().unwrap();
        let mail = SkillBinding::Mcp { server: "mail".to_owned(), tool: "send".to_owned() };
        assert_eq!(bindings["email.send"], mail);
        assert_eq!(bindings["list"], SkillBinding::Plugin("todo.list".to_owned()));
        let launch = &config.skills.servers(Path::new("/dialect"))["mail"];
        assert_eq!(launch.arguments, ["supervise", "--", "m", "-v"]);
        for wrong in ["{}", "{ mcp = \"a\", plugin = \"b.c\" }", "{ plugin = \"b.c\", tool = \"d\" }"] {
            let file: File = toml::from_str(&format!("[skills.bind]\nx = {wrong}")).unwrap();
            let error = file.skills.bindings().unwrap_err().to_string();
            assert!(error.contains("`x`: write { mcp"), "{error}");
        }
    }
}
