//! The languages, servers and indexes of folders, which sessions about the same folders share.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ide_protocol::{IdeError, Reason};

use crate::fallback::servers::find::config::Config;
use crate::fallback::servers::find::detect::DetectedLanguages;
use crate::fallback::servers::find::launch;
use crate::fallback::servers::find::rejected_servers::RejectedServers;
use crate::fallback::servers::find::settings::{WORKSPACE_FILE, user_settings};
use crate::fallback::servers::run::pool::Lease;
use crate::fallback::source::languages;
use crate::fallback::trust::level::Level;
use crate::fallback::workspace::index::Index;
use crate::fallback::workspace::word_index::WordIndex;
use unpoisoned::lock;

/// The workspaces of one process.
#[derive(Debug, Default)]
pub(crate) struct Workspaces {
    all: Mutex<HashMap<Key, Arc<Workspace>>>,
    /// The time that one stays after its last session.
    kept: Duration,
}

/// All that decides what is found for some folders.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    folders: Vec<PathBuf>,
    level: Level,
    /// A hash of the configuration.
    config: u64,
    /// A hash of the times at which the places changed where programs and settings are.
    installed: u64,
}

/// The languages and servers of some folders at one level of trust, and the indexes of their files.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The level of trust.
    pub(super) level: Level,
    /// The languages found by the last look at the folders.
    pub(super) detected: Mutex<Option<Arc<DetectedLanguages>>>,
    /// A lock for the first detection of languages.
    pub(super) detection: tokio::sync::Mutex<()>,
    /// The server search of each language. Each has its own lock, so that a slow search blocks no other.
    pub(super) searches: HashMap<&'static str, tokio::sync::Mutex<Option<ServerSearch>>>,
    /// The programs that were rejected as servers.
    pub(super) unfit: RejectedServers,
    pub(super) index: Index,
    pub(super) words: WordIndex,
}

/// The result of a search for the server of a language.
#[derive(Debug)]
pub(super) struct ServerSearch {
    pub(super) at: Instant,
    /// `true` if trust would change the result.
    pub(super) gains: bool,
    /// The command that installs the missing server.
    pub(super) install: Option<&'static str>,
    pub(super) outcome: Result<LeasedServer, IdeError>,
}

/// A leased server.
#[derive(Debug)]
pub(super) struct LeasedServer {
    pub(super) lease: Lease,
    pub(super) left_out: Vec<Reason>,
    pub(super) unknown: Option<&'static str>,
}

/// A session's use of a workspace.
#[derive(Debug)]
pub(super) struct Use {
    pub(super) workspace: Arc<Workspace>,
    key: Key,
    all: Arc<Workspaces>,
}

impl Workspaces {
    /// Creates none. Each stays for some time after its last session.
    pub(crate) fn kept_for(kept: Duration) -> Arc<Self> {
        Arc::new(Self { kept, ..Self::default() })
    }

    /// Returns the workspace of these folders at that level; blocking for the time of some looks at the disk.
    pub(super) fn of(self: &Arc<Self>, folders: &[PathBuf], level: Level, config: &Config) -> Use {
        let key = Key::new(folders, level, config);
        let mut all = lock(&self.all);
        let workspace = all.entry(key.clone()).or_insert_with(|| Arc::new(Workspace::new(level, config)));
        Use { workspace: Arc::clone(workspace), key, all: Arc::clone(self) }
    }

    /// Forgets a workspace that nobody has but `owners`, the map among them.
    fn forget(&self, key: &Key, owners: usize) {
        let mut all = lock(&self.all);
        if all.get(key).is_some_and(|it| Arc::strong_count(it) <= owners) {
            let forgotten = all.remove(key);
            drop(all); // leases are given back without this lock
            drop(forgotten);
        }
    }
}

impl Workspace {
    fn new(level: Level, config: &Config) -> Self {
        Self {
            level,
            detected: Mutex::default(),
            detection: tokio::sync::Mutex::default(),
            searches: languages::rows().map(|it| (it.id, tokio::sync::Mutex::default())).collect(),
            unfit: RejectedServers::default(),
            index: Index::with_store(config.index_store.clone()),
            words: WordIndex::default(),
        }
    }
}

impl Use {
    /// Ends it because the level of trust is another one now. Servers of the old level end if no other session uses them.
    pub(super) fn leave(self) {
        // This, the map and nobody else.
        if Arc::strong_count(&self.workspace) == 2 {
            for search in self.workspace.searches.values() {
                if let Ok(mut found) = search.try_lock()
                    && let Some(Ok(taken)) = found.as_mut().map(|it| &mut it.outcome)
                {
                    taken.lease.end_soon();
                }
            }
        }
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        let (all, key) = (Arc::clone(&self.all), self.key.clone());
        let runtime = tokio::runtime::Handle::try_current();
        match runtime {
            Ok(runtime) if all.kept > Duration::ZERO => drop(runtime.spawn(async move {
                tokio::time::sleep(all.kept).await;
                all.forget(&key, 1);
            })),
            // Without a runtime everything ends anyway. The map and this have it still.
            _ => all.forget(&key, 2),
        }
    }
}

impl Key {
    fn new(folders: &[PathBuf], level: Level, config: &Config) -> Self {
        // Variables count only where there is no wall.
        let environment = config.environment.clone().filter(|_| level != Level::Confined);
        let config = Config { level: None, environment, ..config.clone() };
        // What cannot be written is the same for all sessions: the configuration of this process.
        let config = serde_json::to_string(&config).unwrap_or_default();
        let own = folders.first().map(|it| it.join(WORKSPACE_FILE));
        let places = launch::places_of_programs().into_iter().chain(own).chain(user_settings());
        let changed: Vec<_> = places.map(|it| it.metadata().and_then(|it| it.modified()).ok()).collect();
        Self { folders: folders.to_vec(), level, config: hash(&config), installed: hash(&changed) }
    }
}

fn hash(it: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    it.hash(&mut hasher);
    hasher.finish()
}
