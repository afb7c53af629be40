//! Skills: interface documents that a user names for the sessions of agents. Programs call their tools, and agents read
//! their texts, as far as a budget of tokens goes.
//!
//! The program around the component reads the documents and runs the bodies of tools ([`Skills`]). Here are the
//! functions of programs, the permissions, and the code that a user binds to tools without a body.

mod functions;
mod mcp_server;
pub(crate) mod session;
mod tools;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use ailang::{Capability, Gate, Level, Loading, Provider};
use dialect::{Interrupt, Invocation, Library, Value};
use futures::future::BoxFuture;

pub(crate) use crate::skills::mcp_server::McpServers;

/// The name of the library with the functions about skills.
pub(crate) const OWNER: &str = "skills";

/// The skills of one session, which the program around the component reads and runs.
pub trait Skills: fmt::Debug + Send + Sync {
    /// Returns the skills that programs can name, in the order in which their names count.
    fn found(&self) -> &[FoundSkill];

    /// Returns the problems with what was found, a sentence each.
    fn problems(&self) -> &[String];

    /// Loads the text of a skill, by default at the level that fits, and says why it has that level.
    ///
    /// # Errors
    /// It does not fit, cannot be read any more, or is not approved.
    fn load(&self, skill: &str, level: Option<Level>) -> Result<LoadedSkill, String>;

    /// Returns the text of a skill at the level at which it is loaded; `None` if it is not.
    fn current(&self, skill: &str) -> Option<LoadedSkill>;

    /// Notes that the user approved a skill that loads manually, with the content that it has now.
    fn approve(&self, skill: &str);

    /// Notes that a tool of a skill is called, for which the skill may gain detail.
    fn used(&self, skill: &str, tool: &str);

    /// Loads the skills of which a rule matches for the first time.
    fn matching(&self, about: &SkillContext) -> Vec<LoadedSkill>;

    /// Returns the state of each skill.
    fn states(&self) -> Vec<SkillState>;

    /// Returns the files of a skill as a folder of [Agent Skills](https://agentskills.io), its `SKILL.md` first.
    fn files(&self, skill: &str) -> Vec<SkillFile>;

    /// Calls a tool: runs its body, or what the surroundings provide.
    fn call(
        &self,
        skill: &str,
        tool: &str,
        surroundings: SkillSurroundings,
        invocation: Invocation,
    ) -> BoxFuture<'static, Result<Value, Interrupt>>;
}

/// A skill that was found.
#[derive(Clone, Debug, Default)]
pub struct FoundSkill {
    /// The id of its document.
    pub name: String,
    /// The file of its document.
    pub path: PathBuf,
    /// Its purpose, in a sentence; words of its author.
    pub summary: String,
    /// The hash of its content if it loads manually: then the user is asked before it is used.
    pub consent: Option<String>,
    /// Its tools as functions below the name of its library, without code.
    pub library: Library,
    /// The tools without a body.
    pub bodiless: Vec<String>,
    /// The capabilities that its document declares.
    pub capabilities: Vec<Capability>,
    /// The capabilities of the documents that it imports.
    pub imported: Vec<Capability>,
    /// True if its text stands in the description of the tool: it loads eagerly.
    pub is_eager: bool,
}

/// The text of a skill at a level of detail.
#[derive(Clone, Debug)]
pub struct LoadedSkill {
    /// The name of the skill.
    pub name: String,
    /// The level of the text.
    pub level: Level,
    /// The text.
    pub text: String,
    /// The reason for the level, for the agent and its user.
    pub why: String,
}

/// A file of a skill in the form of Agent Skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFile {
    /// The path with `/`, which begins with the folder of the skill.
    pub path: String,
    /// The content.
    pub text: String,
}

/// The state of a skill in a session.
#[derive(Clone, Debug)]
pub struct SkillState {
    /// The name of the skill.
    pub name: String,
    /// The strategy of its front matter.
    pub loading: Loading,
    /// The level at which it is loaded; `None` if there is no room even for its line in the description.
    pub level: Option<Level>,
    /// The tokens that it takes at that level.
    pub tokens: usize,
    /// The calls of its tools.
    pub uses: u64,
    /// The reason for the level.
    pub why: String,
}

/// The subject of a session, which the rules of skills are matched against.
#[derive(Clone, Debug, Default)]
pub struct SkillContext {
    /// The text of the latest prompt and of the program.
    pub text: String,
    /// The paths of the files that the prompt attaches, relative to the workspace.
    pub files: Vec<String>,
}

/// The means of one call of a tool.
#[derive(Clone)]
pub struct SkillSurroundings {
    /// The decision about permissions.
    pub gate: Arc<dyn Gate>,
    /// The code of tools without a body.
    pub providers: Vec<Arc<dyn Provider>>,
}

impl fmt::Debug for SkillSurroundings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SkillSurroundings").finish_non_exhaustive()
    }
}

/// The settings of skills.
#[derive(Clone, Debug)]
pub struct SkillSettings {
    pub(crate) finder: SkillFinder,
    pub(crate) bindings: Arc<BTreeMap<String, SkillBinding>>,
    pub(crate) servers: Arc<McpServers>,
}

/// The code that the user binds to a tool without a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillBinding {
    /// A tool of an MCP server.
    Mcp {
        /// The name of the server in the settings.
        server: String,
        /// The name of the tool there.
        tool: String,
    },
    /// A function of a plugin, by its name in programs.
    Plugin(String),
}

/// The search for the skills of a session. It gets the folders of the session, and may block.
#[derive(Clone)]
pub struct SkillFinder(Arc<Find>);

type Find = dyn Fn(&[PathBuf]) -> Arc<dyn Skills> + Send + Sync;

impl SkillFinder {
    /// Wraps the search.
    pub fn new(find: impl Fn(&[PathBuf]) -> Arc<dyn Skills> + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }

    pub(crate) fn find(&self, roots: &[PathBuf]) -> Arc<dyn Skills> {
        (self.0)(roots)
    }
}

impl fmt::Debug for SkillFinder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SkillFinder")
    }
}

impl SkillSettings {
    /// Creates the settings of a search, with code for tools by their names, with or without that of their skill before
    /// them, and with the ways to start MCP servers by their names.
    pub fn new(
        finder: SkillFinder,
        bindings: BTreeMap<String, SkillBinding>,
        servers: BTreeMap<String, crate::plugins::Launch>,
    ) -> Self {
        Self { finder, bindings: Arc::new(bindings), servers: Arc::new(McpServers::new(servers)) }
    }
}
