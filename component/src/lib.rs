//! The proxy toward the agent: adds the tool `ide_operation` to every session, and runs its programs.

mod acp;
mod attach;
pub mod audit;
mod connection;
mod cut;
mod description;
mod documented;
mod extension;
mod http;
mod interpret;
mod mcp;
mod mention;
mod native;
mod os;
pub mod permission;
mod port;
mod prompt;
mod rehearsal;
pub mod relay;
mod secret;
mod session;
mod state;
mod tool;
mod upstream;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use acp::{Component, run, run_on_stdio};
pub use description::{manual, vocabulary};
pub use extension::{Extension, ExtensionError};
pub use state::State;

use extension::Extensions;

/// What is logged unless somebody asks for more: our own warnings, and only errors of the libraries. One of
/// them warns about every error that somebody answers, the other about every call that is cancelled.
pub const LOG_FILTER: &str = "warn,agent_client_protocol=error,rmcp=off";

/// How the component is set up, once per process.
#[derive(Clone, Debug)]
pub struct Config {
    /// The executable that an agent starts again as the stdio relay: `<it> relay`.
    pub executable: PathBuf,
    /// How long a tool call may take. Most MCP clients give up after 60 s.
    pub deadline: Duration,
    /// How long a call waits for language servers that load, where it does not say; until its deadline when this does not
    /// either.
    pub wait: Option<Duration>,
    /// How many bytes of a value an answer may have; the rest is cut, and said to be.
    pub budget: usize,
    /// How long a call waits for the user to grant a permission, when the agent hears that it waits. Any other call
    /// waits for `deadline`. It does not count against that.
    pub patience: Duration,
    /// Whether everything is refused that needs a permission, and nobody asked.
    pub read_only: bool,
    /// Where permissions and their record are kept. Without it nothing is permitted.
    pub state: Option<State>,
    extensions: Extensions,
}

impl Config {
    /// With that executable, the usual deadline of 45 s, ten minutes of patience, and the usual budget of 16 KiB.
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        Self {
            executable: executable.into(),
            deadline: Duration::from_secs(45),
            wait: None,
            budget: 16 * 1024,
            patience: Duration::from_secs(600),
            read_only: false,
            state: State::of_user(),
            extensions: Extensions::built_in(),
        }
    }

    /// Lets programs call what `extension` brings.
    ///
    /// # Errors
    /// When it takes a name that is taken, or a capability that is not its own. Then nothing of it is there.
    pub fn extend(&mut self, extension: Extension) -> Result<(), ExtensionError> {
        self.extensions.add(extension)
    }
}

/// A task that panicked leaves nothing half done: every change under a lock is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
