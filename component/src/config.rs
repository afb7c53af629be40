//! The component's settings.

use std::path::PathBuf;
use std::time::Duration;

use crate::call_metrics::CacheCounter;
use crate::extension::{Extension, ExtensionError, Extensions};
use crate::script::settings::Scripts;
use crate::session::bindings::Bindings;
use crate::session::plugins::PluginFinder;
use crate::skills::SkillSettings;
use crate::state::State;

/// The maximum number of tokens of the tool's description, where the settings say no other.
pub(crate) const DESCRIPTION_TOKENS: usize = 1_500;

/// The form in which a value is printed. Both are programs of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lists of places as lines, which takes the fewest tokens.
    Compact,
    /// JSON, for programs.
    Json,
}

/// The settings of the component, once per process.
#[derive(Clone, Debug)]
pub struct Config {
    /// The executable that an agent starts as the stdio relay: `<executable> relay`.
    pub executable: PathBuf,
    /// The time that a tool call may take. Most MCP clients give up after 60 s.
    pub deadline: Duration,
    /// The time that a call waits for loading language servers when it does not say. `None` means until its
    /// deadline.
    pub wait: Option<Duration>,
    /// The maximum size of a value in an answer, in bytes. The rest is cut, with a note.
    pub budget: usize,
    /// The form of values in answers.
    pub form: Form,
    /// The maximum number of tokens of the tool's description. 1,500 teach best; 700 are for agents that pay for them
    /// in each session and write few programs.
    pub description_tokens: usize,
    /// True when a text about the tool is added to the agent's system prompt, where the agent takes one.
    pub adds_to_system_prompt: bool,
    /// True when errors that the agent's edits brought are looked for between its calls.
    pub checks_edits: bool,
    /// The time that a call waits for the user to decide about a permission, when the agent shows progress. Other
    /// calls wait for `deadline`. This time does not count against `deadline`.
    pub patience: Duration,
    /// True when everything that needs a permission is refused without asking.
    pub read_only: bool,
    /// The folder of permissions, of the audit log and of the log of calls. Without it nothing is permitted, and
    /// nothing is measured.
    pub state: Option<State>,
    /// The counter of the cache of answers, for the log of calls.
    pub cache: Option<CacheCounter>,
    /// The names that programs keep from one to the next. Without it, each program starts with none.
    pub bindings: Option<Bindings>,
    /// The search for plugins. Without it there are none.
    pub plugins: Option<PluginFinder>,
    /// The skills that the user offers to agents. Without it there are none.
    pub skills: Option<SkillSettings>,
    /// True when functions of plugins run without asking: whoever writes the programs chose the plugins too.
    pub trusts_plugins: bool,
    /// True when edits are made without asking: whoever writes the programs said so.
    pub trusts_edits: bool,
    /// The tool `script`. Without it there is only `ide_operation`.
    pub scripts: Option<Scripts>,
    pub(crate) extensions: Extensions,
}

impl Config {
    /// Returns the defaults for an executable: a deadline of 45 s, ten minutes of patience, and a budget of 16 KiB.
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        Self {
            executable: executable.into(),
            deadline: Duration::from_secs(45),
            wait: None,
            budget: 16 * 1024,
            form: Form::Compact,
            description_tokens: DESCRIPTION_TOKENS,
            adds_to_system_prompt: true,
            checks_edits: true,
            patience: Duration::from_secs(600),
            read_only: false,
            state: State::of_user(),
            cache: None,
            bindings: None,
            plugins: None,
            skills: None,
            trusts_plugins: false,
            trusts_edits: false,
            scripts: None,
            extensions: Extensions::built_in(),
        }
    }

    /// Lets programs call the functions of `extension`.
    ///
    /// # Errors
    /// A name is taken, or a capability belongs to another library. Nothing of the extension is added then.
    pub fn extend(&mut self, extension: Extension) -> Result<(), ExtensionError> {
        self.extensions.add(extension)
    }
}
