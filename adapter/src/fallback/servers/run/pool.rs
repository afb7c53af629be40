//! Pool of the servers of all sessions: one for the same projects. Servers are leased, and stopped some time
//! after the last lease.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use super::server::Server;
use super::server_setup::ServerSetup;
use crate::fallback::servers::find::launch::Environment;
use crate::fallback::servers::find::outside_sources::OutsideSources;
use crate::fallback::servers::find::rejected_servers::RejectedServers;
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

/// The servers of one adapter.
#[derive(Debug)]
pub(crate) struct Pool {
    servers: Mutex<HashMap<Key, Entry>>,
    buffers: Buffers,
    /// The programs that were rejected.
    pub(crate) unfit: RejectedServers,
    /// The time a server stays without a lease, if it starts cheaply.
    linger: Duration,
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
    /// Creates a pool without servers.
    pub(crate) fn new(linger: Duration, buffers: Buffers) -> Arc<Self> {
        Arc::new(Self { servers: Mutex::default(), buffers, unfit: RejectedServers::default(), linger })
    }

    /// Leases the server for that setup, and starts it if there is none.
    pub(crate) fn lease(self: &Arc<Self>, setup: ServerSetup) -> Lease {
        let key = Key::new(&setup);
        let mut servers = lock(&self.servers);
        let entry = servers.entry(key.clone()).or_insert_with(|| Entry {
            server: Server::start(setup, self.buffers.clone()),
            leases: 0,
            given: 0,
        });
        entry.leases += 1;
        entry.given += 1;
        entry.server.wake();
        let factor = if entry.server.setup.launch.server.starts_cheaply { 1 } else { COSTLY };
        let linger = self.linger * factor;
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

    /// Notifies every ready server of changes, in the background.
    pub(crate) fn refresh_all(&self) {
        let servers = lock(&self.servers);
        for server in servers.values().map(|it| Arc::clone(&it.server)) {
            tokio::spawn(async move { server.refresh_if_ready().await });
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
