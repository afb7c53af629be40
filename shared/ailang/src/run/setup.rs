//! The surroundings of programs, passed in by the host.

use std::fmt;
use std::sync::Arc;

use dialect::Library;

use super::fixtures::Fixtures;
use super::host::{Gate, Host, Provider, Still};
use super::modules::Modules;
use super::monitor::{Monitor, Observer};
use super::settings::RuntimeSettings;

/// The surroundings of programs.
#[derive(Clone)]
pub struct RuntimeSetup {
    /// The settings.
    pub settings: RuntimeSettings,
    /// The clock and the user.
    pub host: Arc<dyn Host>,
    /// The code for tools without a body; the first provider that has it counts.
    pub providers: Vec<Arc<dyn Provider>>,
    /// The results of tools without code.
    pub fixtures: Option<Fixtures>,
    /// The code of the built-in modules' tools, for those without fixtures.
    pub modules: Option<Arc<dyn Modules>>,
    /// The decision about permissions.
    pub gate: Option<Arc<dyn Gate>>,
    /// Libraries whose functions programs can call, also as methods: those of lists and texts are in the core library.
    pub libraries: Vec<Library>,
    /// The measurements of calls.
    pub monitor: Option<Monitor>,
    /// The observer of calls, which they wait for.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for RuntimeSetup {
    fn default() -> Self {
        Self {
            settings: RuntimeSettings::default(),
            host: Arc::new(Still::default()),
            providers: Vec::new(),
            fixtures: None,
            modules: None,
            gate: None,
            libraries: Vec::new(),
            monitor: None,
            observer: None,
        }
    }
}

impl fmt::Debug for RuntimeSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeSetup").field("settings", &self.settings).finish_non_exhaustive()
    }
}
