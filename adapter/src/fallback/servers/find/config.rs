//! The configuration of the fallback, which the program that embeds it gives once.

use super::settings::{Settings, SettingsError};
use crate::fallback::trust::level::Level;
use crate::fallback::trust::store::TrustStore;
use crate::fallback::workspace::index::store::IndexStore;
use crate::os;
use std::collections::BTreeSet;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// How long a server stays after its last session: users close one and open the next.
const LINGER: Duration = Duration::from_secs(60);

/// How long a question waits before the user is shown what for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Longer than the pauses that servers make while they load.
const STILLNESS: Duration = Duration::from_secs(1);

/// How the fallback is set up, once per process.
#[derive(Clone, Debug)]
pub struct Config {
    /// The executable to run again as the supervisor of language servers: `<it> supervise -- command…`.
    pub supervisor: PathBuf,
    /// The level of every workspace, whatever the user decided.
    pub level: Option<Level>,
    /// Whether this machine has a wall: then workspaces are confined that are neither trusted nor refused.
    pub wall: bool,
    /// The folder that holds the private folders of confined workspaces; one in the user's cache by default.
    pub confined_folders: Option<PathBuf>,
    /// Where it is kept which workspaces the user trusts.
    pub trust_store: Option<TrustStore>,
    /// Whether the user is asked, where trust would change something and somebody can ask him.
    pub asks_for_trust: bool,
    /// Where it is kept what files define, if it is: only a shortcut.
    pub index_store: Option<IndexStore>,
    /// The user's own settings of languages, if they are to count: see [`user_settings`].
    pub user_settings: Option<PathBuf>,
    /// Commands to run in place of the servers that would be found, by language: `rust` → a fake server.
    pub servers: HashMap<String, Vec<OsString>>,
    /// How long a server stays after its last session has closed.
    pub linger: Duration,
    /// How long a question waits before the user is shown in the editor what for.
    pub patience: Duration,
    /// When a server that runs is ended and started again; what people configure comes before it.
    pub health: Health,
    /// For how long a server has to have said nothing by itself before its answers are remembered.
    pub stillness: Duration,
    /// Corrections of servers' answers that are switched off, to measure what each brings.
    pub switched_off: SwitchedOff,
}

/// The names of corrections that are switched off. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SwitchedOff(Arc<RwLock<BTreeSet<String>>>);

impl SwitchedOff {
    /// Switches off these corrections alone, for answers that are computed from now on.
    pub fn set<'a>(&self, ids: impl IntoIterator<Item = &'a str>) {
        let ids = ids.into_iter().map(str::to_owned).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = ids;
    }

    /// Returns `true` if that correction is switched off.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(id)
    }

    /// Returns `true` if no correction is switched off.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl Config {
    /// Restricted workspaces, servers as they are found.
    pub fn new(supervisor: PathBuf) -> Self {
        Self {
            supervisor,
            level: None,
            wall: false,
            confined_folders: None,
            trust_store: None,
            asks_for_trust: false,
            index_store: None,
            user_settings: None,
            servers: HashMap::new(),
            linger: LINGER,
            patience: PATIENCE,
            health: Health::default(),
            stillness: STILLNESS,
            switched_off: SwitchedOff::default(),
        }
    }
}

impl Config {
    /// What was found out about files is kept in the user's cache.
    pub fn keep_index(&mut self) {
        self.index_store = IndexStore::of_user();
    }

    /// Builds walls around the servers of workspaces, where this machine can build one and `DIALECT_WALL` is not `off`.
    pub fn build_walls(&mut self) {
        self.wall = wall().is_ok();
    }

    /// Returns the level of workspaces that nothing was said about: what the user's settings say, as far as there is a wall.
    pub(crate) fn usual_level(&self) -> Level {
        let usual = match Settings::load(self.user_settings.as_deref(), &[], false, &HashMap::new()) {
            // Nobody has tried yet what servers need behind the wall of macOS.
            Ok(settings) if cfg!(target_os = "macos") => settings.level.unwrap_or(Level::Restricted),
            Ok(settings) => settings.level.unwrap_or(Level::Confined),
            // Who cannot be understood may have meant that.
            Err(_) => Level::Restricted,
        };
        if usual == Level::Confined && !self.wall { Level::Restricted } else { usual }
    }

    /// What the user decided about workspaces counts, and he is asked where he did not; but not where
    /// `DIALECT_TRUST` is `never`.
    pub fn ask_user_for_trust(&mut self) {
        self.trust_store = TrustStore::of_user();
        self.asks_for_trust = std::env::var_os("DIALECT_TRUST").is_none_or(|it| it != "never");
    }
}

/// Returns how walls stand on this machine.
///
/// # Errors
/// None stands, and why.
pub fn wall() -> Result<confinement::Standing, confinement::Absent> {
    match std::env::var("DIALECT_WALL") {
        Ok(word) if word == "off" => Err(confinement::Absent("`DIALECT_WALL` is `off`".into())),
        _ => confinement::stands(),
    }
}

/// How much of the machine's memory a server may take, in percent, unless somebody says otherwise.
const MEMORY_PERCENT: u64 = 40;

/// When a server that runs is ended and started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    /// How long a question waits before somebody looks whether the server is there at all.
    pub suspicion: Duration,
    /// How long nothing may be heard of a server that was asked something.
    pub silence: Duration,
    /// How many bytes of memory it may take, with everything that it started; without a limit where the machine
    /// does not say how many it has.
    pub memory: Option<u64>,
    /// How often its memory is looked at.
    pub look: Duration,
    /// How long nobody has to ask a server that starts cheaply until it is stopped; the next question starts it again.
    pub rest: Duration,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            suspicion: Duration::from_secs(10),
            // Servers of one thread say nothing while they compute, and large projects take them a minute.
            silence: Duration::from_secs(120),
            memory: os::memory().map(|all| share(all, MEMORY_PERCENT)),
            look: Duration::from_secs(5),
            rest: Duration::from_secs(15 * 60),
        }
    }
}

impl Health {
    /// The same with another share of the machine's memory, in percent.
    #[must_use]
    pub(crate) fn with_memory(self, percent: Option<u64>) -> Self {
        let memory = percent.and_then(|it| Some(share(os::memory()?, it)));
        Self { memory: memory.or(self.memory), ..self }
    }
}

fn share(all: u64, percent: u64) -> u64 {
    all / 100 * percent
}

impl Config {
    /// What is configured for sessions about these folders.
    pub(crate) fn settings(&self, folders: &[PathBuf]) -> Result<Settings, SettingsError> {
        let is_trusted = self.level == Some(Level::Trusted);
        Settings::load(self.user_settings.as_deref(), folders, is_trusted, &self.servers)
    }
}
