//! Configuration of the fallback, set once by the embedding program.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use std::time::Duration;

use serde::{Deserialize, Serialize};
use unpoisoned::lock;

use super::environment::environment_that_counts;
use super::settings::{Settings, SettingsError};
use crate::background::place::Background;
use crate::fallback::trust::level::Level;
use crate::fallback::trust::ownership;
use crate::fallback::trust::ownership::is_inside;
use crate::fallback::trust::store::TrustStore;
use crate::fallback::workspace::index::store::IndexStore;
use crate::os;

/// The time a server stays after its last session: users close one and open the next.
const LINGER: Duration = Duration::from_secs(60);

/// The time a request waits before the user sees the reason.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time that a server of the editor has for one answer. It is loaded, and one of our own has to be asked after it.
const LENT_PATIENCE: Duration = Duration::from_secs(10);

/// Longer than the pauses that servers make while they load.
const STILLNESS: Duration = Duration::from_secs(1);
/// The time that a server gets to load before the syntax answers.
const HEAD_START: Duration = Duration::from_millis(500);
/// The variable of the environment that replaces it, in milliseconds.
const HEAD_START_VARIABLE: &str = "DIALECT_HEAD_START";
/// The time for which a text of the editor counts without another look, for a file that nobody touched. A user types
/// slower.
const TEXT_AGE: Duration = Duration::from_millis(200);
/// The variable of the environment that replaces it, in milliseconds.
const TEXT_AGE_VARIABLE: &str = "DIALECT_TEXT_AGE";

/// The configuration of the fallback, once per process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The executable that supervises language servers, `<it> supervise -- command…`, and writes the changes of several
    /// files, `<it> write-files`.
    pub supervisor: PathBuf,
    /// The level of every workspace; overrides the user's decisions.
    pub level: Option<Level>,
    /// `true` if this machine can build a wall. Workspaces that are neither trusted nor refused are then
    /// confined.
    pub wall: bool,
    /// The parent of the private folders of confined workspaces; in the user's cache by default.
    pub confined_folders: Option<PathBuf>,
    /// The store of the workspaces that the user trusts.
    pub trust_store: Option<TrustStore>,
    /// `true` if the user may be asked for trust, where trust would change something.
    pub asks_for_trust: bool,
    /// The store of the symbol index on disk, if it is kept; only a cache.
    pub index_store: Option<IndexStore>,
    /// The user's settings file, if it applies: see [`user_settings`](super::settings::user_settings).
    pub user_settings: Option<PathBuf>,
    /// The commands that replace the servers of languages: `rust` → a fake server.
    pub servers: HashMap<String, Vec<OsString>>,
    /// The commands of servers that the embedding program brings, by the name of the server. The user's settings take precedence.
    pub own_servers: HashMap<String, Vec<OsString>>,
    /// The time a server stays after its last session has closed. One that starts slowly stays five times as
    /// long.
    pub linger: Duration,
    /// The time a request waits before the editor shows the user the reason.
    pub patience: Duration,
    /// The limits at which a running server is restarted; settings take precedence.
    pub health: Health,
    /// The memory that all servers together may take, in bytes; by default the share of the user's settings.
    pub all_memory: Option<u64>,
    /// The time a server must have sent nothing unrequested before its replies are cached.
    pub stillness: Duration,
    /// The time that a server gets to load before the syntax answers: 500 ms, or what `DIALECT_HEAD_START` says in
    /// milliseconds.
    pub head_start: Duration,
    /// The time for which a text of the editor counts without another look, for a file that no message touched: 200 ms, or what
    /// `DIALECT_TEXT_AGE` says in milliseconds.
    pub text_age: Duration,
    /// The environment of what runs without a wall: that of this process by default.
    pub environment: Option<Vec<(OsString, OsString)>>,
    /// `true` if the language servers of an editor are asked that lends them; a draft.
    pub editor_servers: bool,
    /// The time that they have for one answer, before servers of our own are asked.
    pub lent_patience: Duration,
    /// The background process that answers, if one may; else this one does.
    #[serde(skip)]
    pub background: Option<Background>,
    /// Corrections of servers' answers that are switched off, to measure what each brings.
    #[serde(skip)]
    pub switched_off: SwitchedOff,
    /// The look-ups in the caches of answers.
    #[serde(skip)]
    pub cache_lookups: CacheLookups,
}

/// Counters of the look-ups in the caches of answers. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct CacheLookups(Arc<[AtomicU64; 2]>);

impl CacheLookups {
    /// Adds look-ups that another process counted.
    pub(crate) fn add(&self, (hits, misses): (u64, u64)) {
        self.0[1].fetch_add(hits, Ordering::Relaxed);
        self.0[0].fetch_add(misses, Ordering::Relaxed);
    }

    /// Counts a look-up.
    pub(crate) fn count(&self, is_hit: bool) {
        self.0[usize::from(is_hit)].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the hits and the misses since this was called last.
    pub fn take(&self) -> (u64, u64) {
        (self.0[1].swap(0, Ordering::Relaxed), self.0[0].swap(0, Ordering::Relaxed))
    }
}

/// The names of corrections that are switched off. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SwitchedOff(Arc<Mutex<BTreeSet<String>>>);

impl SwitchedOff {
    /// Switches off these corrections alone, for answers that are computed from now on.
    pub fn set<'a>(&self, ids: impl IntoIterator<Item = &'a str>) {
        let ids = ids.into_iter().map(str::to_owned).collect();
        *lock(&self.0) = ids;
    }

    /// Returns `true` if that correction is switched off.
    pub(crate) fn has(&self, id: &str) -> bool {
        lock(&self.0).contains(id)
    }

    /// Returns `true` if no correction is switched off.
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}

impl Config {
    /// Returns the defaults: restricted workspaces, and servers as they are found.
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
            own_servers: HashMap::new(),
            linger: LINGER,
            patience: PATIENCE,
            health: Health::default(),
            all_memory: None,
            stillness: STILLNESS,
            head_start: milliseconds(HEAD_START_VARIABLE).unwrap_or(HEAD_START),
            text_age: milliseconds(TEXT_AGE_VARIABLE).unwrap_or(TEXT_AGE),
            environment: None,
            editor_servers: false,
            lent_patience: LENT_PATIENCE,
            background: None,
            switched_off: SwitchedOff::default(),
            cache_lookups: CacheLookups::default(),
        }
    }
}

impl Config {
    /// Loads the user's own settings, in which no workspace has a say.
    fn user_alone(&self) -> Result<Settings, SettingsError> {
        Settings::load(self.user_settings.as_deref(), &[], false, &HashMap::new())
    }

    /// Keeps the symbol index in the user's cache folder.
    pub fn keep_index(&mut self) {
        self.index_store = IndexStore::of_user();
    }

    /// Builds walls around the servers of workspaces, where this machine can build one and `DIALECT_WALL` is not `off`.
    pub fn build_walls(&mut self) {
        self.wall = wall().is_ok();
    }

    /// Has the user's background process answer, which the executable is when it gets `arguments`; unless `DIALECT_SERVER`
    /// is `off` or the user's settings say no. Call it when the settings are known.
    pub fn use_background(&mut self, executable: &Path, arguments: &[&str]) {
        let settings = self.user_alone();
        let is_off = std::env::var_os("DIALECT_SERVER").is_some_and(|it| it == "off")
            // Invalid settings are reported where servers are looked for.
            || settings.is_ok_and(|it| it.background == Some(false));
        if !is_off {
            let found = Background::of(executable, arguments, environment_that_counts());
            self.background =
                found.inspect_err(|error| tracing::warn!(%error, "there is no background process")).ok();
        }
    }

    /// Has the editor's language servers asked, if it lends them and the user wants that: by the command line, or by the
    /// user's settings. Call it when the settings are known.
    pub fn borrow_servers(&mut self, is_wanted: bool) {
        // Invalid settings are reported where servers are looked for.
        let is_set = self.user_alone().is_ok_and(|it| it.editor_servers == Some(true));
        self.editor_servers = is_wanted || is_set;
    }

    /// Returns the level of workspaces without a decision: that of the user's settings, restricted where
    /// there is no wall.
    pub(crate) fn usual_level(&self) -> Level {
        let usual = match self.user_alone() {
            // It has not been tested yet what servers need behind the wall of macOS.
            Ok(settings) if cfg!(target_os = "macos") => settings.level.unwrap_or(Level::Restricted),
            Ok(settings) => settings.level.unwrap_or(Level::Confined),
            // Invalid settings may have meant the strictest level.
            Err(_) => Level::Restricted,
        };
        if usual == Level::Confined && !self.wall { Level::Restricted } else { usual }
    }

    /// Returns the disk that a confined process may take by the user's settings, in bytes; 0 is no limit. A workspace has
    /// no say.
    pub(crate) fn disk(&self) -> Option<u64> {
        let settings = self.user_alone();
        // Invalid settings are reported where servers are looked for.
        Some(settings.ok()?.disk_gigabytes?.saturating_mul(GIGABYTE))
    }

    /// Returns the memory that all servers together may take by the user's settings, in bytes; a third of the machine's by
    /// default. A workspace has no say.
    pub(crate) fn server_memory(&self) -> Option<u64> {
        self.all_memory.or_else(|| {
            let settings = self.user_alone();
            // Invalid settings are reported where servers are looked for.
            let percent = settings.ok().and_then(|it| it.all_memory_percent).unwrap_or(ALL_MEMORY_PERCENT);
            Some(share(os::memory()?, percent))
        })
    }

    /// Uses the user's decisions about workspaces, and asks where there is none. Asks nothing if
    /// `DIALECT_TRUST` is `never`.
    pub fn ask_user_for_trust(&mut self) {
        self.trust_store = TrustStore::of_user();
        self.asks_for_trust = std::env::var_os("DIALECT_TRUST").is_none_or(|it| it != "never");
    }
}

/// Returns the mechanisms of the wall on this machine.
///
/// # Errors
/// The reason why there is no wall.
pub fn wall() -> Result<confinement::Standing, confinement::Absent> {
    match std::env::var("DIALECT_WALL") {
        Ok(word) if word == "off" => Err(confinement::Absent("`DIALECT_WALL` is `off`".into())),
        _ => confinement::stands(),
    }
}

const GIGABYTE: u64 = 1_000_000_000;

/// The share of the machine's memory that a server may take by default, in percent.
const MEMORY_PERCENT: u64 = 40;

/// The share that all servers together may take by default, in percent.
const ALL_MEMORY_PERCENT: u64 = 33;

/// The limits at which a running server is restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// The time a request waits before the server is probed.
    pub suspicion: Duration,
    /// The time after which a server that answers no probe counts as hung.
    pub silence: Duration,
    /// The memory limit of a server with its child processes, in bytes; `None` where the machine's memory is
    /// unknown.
    pub memory: Option<u64>,
    /// The interval between two looks at its memory.
    pub look: Duration,
    /// The idle time after which a server that starts cheaply is stopped; the next request starts it again.
    pub rest: Duration,
    /// The minimum time for which a server answers before another that waits for its memory has its turn.
    pub turn: Duration,
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
            turn: Duration::from_secs(10),
        }
    }
}

impl Health {
    /// Returns the same limits with another share of the machine's memory, in percent.
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
    /// Loads the settings that apply to sessions with these folders. A file in them is not the user's, whatever
    /// `XDG_CONFIG_HOME` says.
    pub(crate) fn settings(&self, folders: &[PathBuf]) -> Result<Settings, SettingsError> {
        let is_trusted = self.level == Some(Level::Trusted);
        let user = self.user_settings.as_deref();
        let user = user.filter(|it| !is_inside(it, &ownership::grounds(folders)));
        let settings = Settings::load(user, folders, is_trusted, &self.servers)?;
        Ok(settings.or_own(&self.own_servers))
    }
}
/// Returns the time that a variable of the environment says, in milliseconds. One that is no number is ignored.
fn milliseconds(variable: &str) -> Option<Duration> {
    Some(Duration::from_millis(std::env::var(variable).ok()?.parse().ok()?))
}
