//! Pool of the servers of all sessions: one for the same projects. Servers are leased, and stopped some time
//! after the last lease.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::memory_budget::{Stage, Step, plan};
use super::server::Server;
use super::server::admission::{Admission, Ending};
use super::server_setup::ServerSetup;
use crate::background::place::Background;
use crate::blocking;
use crate::fallback::servers::find::launch::Environment;
use crate::fallback::servers::find::outside_sources::OutsideSources;
use crate::fallback::trust::level::Level;
use crate::fallback::workspace::buffers::Buffers;
use unpoisoned::lock;

/// The identity of a server: equal setups share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    language: &'static str,
    server: &'static str,
    program: PathBuf,
    args: Vec<OsString>,
    projects: Vec<PathBuf>,
    folders: BTreeSet<PathBuf>,
    level: Level,
    beside: OutsideSources,
    environment: Environment,
    /// The initialization options as JSON.
    options: String,
}

/// The servers of one process.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    servers: Mutex<HashMap<Key, Entry>>,
    /// The memory that all servers together may take, in bytes; `None` for no limit.
    budget: Option<u64>,
    /// This process, if it is a background process: the others take of the same memory.
    own: OnceLock<Background>,
    /// Set once somebody looks at that.
    is_watched: OnceLock<()>,
    /// `true` if they take more, or nearly.
    is_full: AtomicBool,
    /// Notified when a server waits for memory or gives it back.
    changed: Arc<Notify>,
    /// The memory that servers were seen to take.
    known: Mutex<HashMap<Project, KnownMemory>>,
}

/// The memory that the servers of some projects were seen to take.
#[derive(Clone, Copy, Debug, Default)]
struct KnownMemory {
    /// The most, in bytes.
    most: u64,
    /// `true` if they were seen after they had loaded.
    has_loaded: bool,
}

/// The projects of one kind of server.
type Project = (&'static str, BTreeSet<PathBuf>);

/// The interval between two looks at the memory of all servers.
const LOOK: Duration = Duration::from_secs(3);

/// The same while a server waits for memory.
const LOOK_FOR_ROOM: Duration = Duration::from_millis(250);

/// The memory that a server is expected to take before that is known, in bytes.
const USUAL: u64 = 200_000_000;
const USUAL_OF_COSTLY: u64 = 1_500_000_000;

/// The state of a language server, for people.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunningServer {
    /// The server's name: `rust-analyzer`.
    pub name: String,
    /// The folders of its projects.
    pub folders: Vec<PathBuf>,
    /// The level of trust.
    pub level: String,
    /// Its memory with that of its child processes, in bytes; `None` where it does not run or that is unknown.
    pub memory: Option<u64>,
    /// `true` while it waits for memory that others take.
    pub waits: bool,
    /// The number of workspaces that use it; one stays for a while after its last session.
    pub workspaces: usize,
    /// The time since its last question, in seconds.
    pub idle_seconds: u64,
}

/// The factor of that time for servers that start slowly: a restart would cost a minute, and memory is
/// bounded.
const COSTLY: u32 = 5;

#[derive(Debug)]
struct Entry {
    server: Arc<Server>,
    leases: usize,
    /// The number of leases ever given: a stop planned before the last one does nothing.
    given: u64,
}

/// A lease of a server; after the last one is dropped, the server stops some time later.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) server: Arc<Server>,
    key: Key,
    pool: Weak<Pool>,
    /// The time the server stays after its last lease.
    linger: Duration,
}

impl Key {
    fn new(setup: &ServerSetup) -> Self {
        Self {
            language: setup.language.id,
            server: setup.launch.server.name,
            program: setup.launch.program.clone(),
            args: setup.launch.args.clone(),
            projects: setup.projects.clone(),
            folders: setup.folders.clone(),
            level: setup.level,
            beside: setup.beside.clone(),
            environment: setup.launch.environment.clone(),
            options: setup.launch.options.to_string(),
        }
    }
}

impl Pool {
    /// Creates a pool without servers, which may take that much memory together, in bytes.
    pub(crate) fn with_budget(budget: Option<u64>) -> Arc<Self> {
        Arc::new(Self { budget, ..Self::default() })
    }

    /// Returns the memory that all servers together may take, in bytes; `None` for no limit.
    pub(crate) fn budget(&self) -> Option<u64> {
        self.budget
    }

    /// Counts the memory of the user's other background processes, too: this process is `own`.
    pub(crate) fn count_others_than(&self, own: Background) {
        let _ = self.own.set(own);
    }

    /// Returns `false` if the servers take all the memory that they may, so that none should start before it is needed.
    pub(crate) fn has_room(&self) -> bool {
        !self.is_full.load(Ordering::Relaxed)
    }

    /// Returns the state of each server; blocking.
    pub(crate) fn report(&self) -> Vec<RunningServer> {
        let servers: Vec<_> =
            lock(&self.servers).values().map(|it| (Arc::clone(&it.server), it.leases)).collect();
        let report = |(server, workspaces): (Arc<Server>, usize)| RunningServer {
            name: server.name().to_owned(),
            folders: server.setup.folders.iter().cloned().collect(),
            level: server.setup.level.to_string(),
            memory: server.memory(),
            waits: server.admission.is_waiting(),
            workspaces,
            idle_seconds: server.idle_time().as_secs(),
        };
        servers.into_iter().map(report).collect()
    }

    /// Starts to watch the memory of all servers, unless that has begun.
    fn watch(self: &Arc<Self>) {
        let Some(budget) = self.budget else { return };
        let (pool, changed) = (Arc::downgrade(self), Arc::clone(&self.changed));
        self.is_watched.get_or_init(|| {
            tokio::spawn(async move {
                let mut next_look = LOOK;
                loop {
                    let _ = timeout(next_look, changed.notified()).await;
                    let Some(pool) = pool.upgrade() else { return };
                    let somebody_waits = blocking::spawn(move || pool.keep_within(budget)).await;
                    next_look = if somebody_waits { LOOK_FOR_ROOM } else { LOOK };
                }
            });
        });
    }

    /// Admits servers to the memory that all may take, and has others make room for them. Returns `true` if some still
    /// wait. Blocking.
    fn keep_within(&self, budget: u64) -> bool {
        let servers: Vec<_> = lock(&self.servers).values().map(|it| Arc::clone(&it.server)).collect();
        let tenant = |it: Arc<Server>| Some((it.tenant(self.expected(&it).min(budget))?, it));
        let (tenants, servers): (Vec<_>, Vec<_>) = servers.into_iter().filter_map(tenant).unzip();
        for (tenant, server) in tenants.iter().zip(&servers) {
            let mut known = lock(&self.known);
            let seen = known.entry(project_of(server)).or_default();
            seen.most = tenant.taken.max(seen.most);
            seen.has_loaded |= matches!(tenant.stage, Stage::Answering { .. });
        }
        let mut waiting = tenants.iter().filter(|it| matches!(it.stage, Stage::Waiting(_))).count();
        let elsewhere = self.own.get().map_or(0, Background::memory_of_others);
        for step in plan(&tenants, budget.saturating_sub(elsewhere)) {
            match step {
                Step::Rest(index) => servers[index].admission.end(Ending::Rest),
                Step::Yield(index) => servers[index].admission.end(Ending::Yield),
                Step::Admit(index) => {
                    servers[index].admission.admit();
                    waiting -= 1;
                }
            }
        }
        let total = tenants.iter().map(|it| it.taken).sum::<u64>() + elsewhere;
        self.is_full.store(total > budget / 5 * 4, Ordering::Relaxed);
        if total > budget {
            let (total, budget) = (total / 1_000_000, budget / 1_000_000);
            tracing::info!("language servers take {total} MB of memory; all may take {budget} MB");
        }
        waiting > 0
    }

    /// Returns the memory that a server may come to need, in bytes: what it took at most, or what such servers took for
    /// other projects if it has not loaded its own yet.
    fn expected(&self, server: &Server) -> u64 {
        let known = lock(&self.known);
        let own = known.get(&project_of(server)).copied().unwrap_or_default();
        if own.has_loaded {
            return own.most;
        }
        let others = known.iter().filter(|((name, _), it)| *name == server.name() && it.has_loaded);
        let usual = if server.setup.launch.server.starts_cheaply { USUAL } else { USUAL_OF_COSTLY };
        others.map(|(_, it)| it.most).max().unwrap_or(usual)
    }

    /// Leases the server for that setup, and starts it if there is none. It stays for `linger` after its last lease, if it
    /// starts cheaply.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub(crate) fn lease(self: &Arc<Self>, setup: ServerSetup, linger: Duration) -> Lease {
        self.watch();
        let key = Key::new(&setup);
        let mut servers = lock(&self.servers);
        let entry = servers.entry(key.clone()).or_insert_with(|| Entry {
            server: Server::start(setup, Admission::new(self.budget.map(|_| Arc::clone(&self.changed)))),
            leases: 0,
            given: 0,
        });
        entry.leases += 1;
        entry.given += 1;
        entry.server.wake();
        let factor = if entry.server.setup.launch.server.starts_cheaply { 1 } else { COSTLY };
        let linger = linger * factor;
        Lease { server: Arc::clone(&entry.server), key, pool: Arc::downgrade(self), linger }
    }

    fn release(self: &Arc<Self>, key: &Key, linger: Duration) {
        let mut servers = lock(&self.servers);
        let Some(entry) = servers.get_mut(key) else { return };
        entry.leases -= 1;
        let given = entry.given;
        // Without a runtime everything ends anyway.
        let Some(runtime) = tokio::runtime::Handle::try_current().ok().filter(|_| entry.leases == 0) else {
            return;
        };
        let (pool, key) = (Arc::clone(self), key.clone());
        runtime.spawn(async move {
            tokio::time::sleep(linger).await;
            if let Some(server) = pool.take_idle(&key, given) {
                server.stop().await;
            }
        });
    }

    fn take_idle(&self, key: &Key, given: u64) -> Option<Arc<Server>> {
        let mut servers = lock(&self.servers);
        let is_idle = servers.get(key).is_some_and(|it| it.leases == 0 && it.given == given);
        if is_idle { servers.remove(key).map(|it| it.server) } else { None }
    }

    /// Notifies every ready server of changes, in the background. The buffers are those of the editor that knows of them.
    pub(crate) fn refresh_all(&self, buffers: &Buffers) {
        let servers = lock(&self.servers);
        for server in servers.values().map(|it| Arc::clone(&it.server)) {
            let buffers = buffers.clone();
            tokio::spawn(async move { server.refresh_if_ready(&buffers).await });
        }
    }

    /// Makes every server rescan all files before the next request, because files may have changed.
    pub(crate) fn invalidate_watches(&self) {
        let servers = lock(&self.servers);
        servers.values().for_each(|it| it.server.doubt());
    }

    /// Stops every server, and waits until they ended.
    pub(crate) async fn stop_all(&self) {
        let all: Vec<_> = lock(&self.servers).drain().collect();
        futures::future::join_all(all.iter().map(|(_, it)| it.server.stop())).await;
    }
}

fn project_of(server: &Server) -> Project {
    (server.name(), server.setup.folders.clone())
}

impl Lease {
    /// Stops the server as soon as this lease and all others are returned.
    pub(crate) fn end_soon(&mut self) {
        self.linger = Duration::ZERO;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.release(&self.key, self.linger);
        }
    }
}
