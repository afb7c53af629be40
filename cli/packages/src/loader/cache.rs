//! The cache of parsed documents, in memory and on disk.
//!
//! A document is parsed once for each content. An entry in memory counts while the metadata of the file is unchanged;
//! when that changed, or is too young to be trusted, the file is read and its hash decides.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ailang::Level;
use indexmap::IndexMap;

use super::digest::{Parsed, content_hash};
use super::disk::DiskCache;
use crate::project::{Project, ReadError, SourceFile, Stamp};

/// The places of parsed documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheStrategy {
    /// Nowhere: each request parses.
    None,
    /// In this process.
    #[default]
    Memory,
    /// In a folder.
    Disk,
    /// In both.
    Hybrid,
}

/// The reason for which entries are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Invalidation {
    /// The age of the entries: those older than `CacheConfig::ttl` are removed.
    Ttl,
    /// The size of the cache: those used longest ago are removed first.
    #[default]
    Lru,
    /// Only a request to remove them. A full cache takes no new ones.
    Manual,
}

/// The settings of a cache.
#[derive(Clone, Debug)]
pub struct CacheConfig {
    /// The places of documents.
    pub strategy: CacheStrategy,
    /// The age at which entries are removed, with [`Invalidation::Ttl`].
    pub ttl: Duration,
    /// The maximum size in bytes, of memory and of disk each. Processes that share a folder may exceed it for a moment,
    /// each by a sixteenth.
    pub max_size: u64,
    /// The reason for which entries are removed.
    pub invalidation: Invalidation,
    /// The folder on disk. It has to be the user's own: what it contains is believed.
    pub folder: Option<PathBuf>,
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self {
            strategy: CacheStrategy::default(),
            ttl: Duration::from_secs(3_600),
            max_size: 100_000_000,
            invalidation: Invalidation::default(),
            folder: None,
        }
    }
}

/// Figures of a cache at one level of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// The requests that parsed nothing.
    pub hits: u64,
    /// The requests that parsed a document.
    pub misses: u64,
    /// The size of the texts in memory, in bytes.
    pub size: u64,
    /// The number of documents in memory that were requested at the level.
    pub entry_count: usize,
}

impl CacheStats {
    /// Returns the part of requests that were hits, from 0 to 1.
    pub fn hit_rate(&self) -> f64 {
        let all = self.hits + self.misses;
        if all == 0 { 0.0 } else { self.hits as f64 / all as f64 }
    }
}

/// A cache of parsed documents by canonical path.
#[derive(Debug)]
pub struct DocumentCache {
    config: CacheConfig,
    clock: fn() -> SystemTime,
    /// The entry used last is the last one.
    memory: IndexMap<String, Entry>,
    bytes: u64,
    disk: Option<DiskCache>,
    counters: [(u64, u64); 5],
    /// The documents that were parsed before a level of them was requested, which is a miss of that level.
    parsed: HashSet<String>,
}

#[derive(Debug)]
struct Entry {
    parsed: Arc<Parsed>,
    stamp: Option<Stamp>,
    read_at: SystemTime,
    stored_at: SystemTime,
    /// The levels at which it was requested.
    requested: [bool; 5],
}

impl DocumentCache {
    /// Creates an empty cache.
    pub fn new(config: CacheConfig) -> Self {
        Self::with_clock(config, SystemTime::now)
    }

    pub(crate) fn with_clock(config: CacheConfig, clock: fn() -> SystemTime) -> Self {
        let on_disk = matches!(config.strategy, CacheStrategy::Disk | CacheStrategy::Hybrid);
        let CacheConfig { max_size, ttl, invalidation, .. } = config;
        let disk = config.folder.as_ref().filter(|_| on_disk);
        let disk = disk.map(|folder| DiskCache::new(folder, max_size, ttl, invalidation));
        Self {
            config,
            clock,
            memory: IndexMap::new(),
            bytes: 0,
            disk,
            counters: [(0, 0); 5],
            parsed: HashSet::new(),
        }
    }

    /// Removes a document from memory. One that is unchanged is still known on disk.
    fn invalidate(&mut self, path: &str) {
        if let Some(entry) = self.memory.shift_remove(path) {
            self.bytes -= entry.parsed.bytes() as u64;
        }
    }

    /// Removes all documents, and the figures.
    pub fn clear(&mut self) {
        self.memory.clear();
        self.parsed.clear();
        self.bytes = 0;
        self.counters = [(0, 0); 5];
        if let Some(disk) = &mut self.disk {
            disk.clear();
        }
    }

    /// Returns the figures of a level.
    pub fn stats(&self, level: Level) -> CacheStats {
        let (hits, misses) = self.counters[level as usize];
        let entries = self.memory.values().filter(|it| it.requested[level as usize]);
        let (mut size, mut entry_count) = (0, 0);
        for entry in entries {
            size += entry.parsed.at(level).len() as u64;
            entry_count += 1;
        }
        CacheStats { hits, misses, size, entry_count }
    }

    /// Returns the document at a canonical path as its file is now, and counts the request for a level.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn request(
        &mut self,
        project: &Project,
        path: &str,
        level: Option<Level>,
    ) -> Result<Arc<Parsed>, ReadError> {
        let (parsed, is_hit) = self.current(project, path)?;
        if let Some(level) = level {
            let is_hit = !self.parsed.remove(path) && is_hit;
            let (hits, misses) = &mut self.counters[level as usize];
            *(if is_hit { hits } else { misses }) += 1;
            if let Some(entry) = self.memory.get_mut(path) {
                entry.requested[level as usize] = true;
            }
        } else if !is_hit {
            self.parsed.insert(path.to_owned());
        }
        Ok(parsed)
    }

    /// Returns the document as its file is now, if that needs no parsing.
    pub(crate) fn peek(&mut self, project: &Project, path: &str) -> Option<Arc<Parsed>> {
        if let Some(parsed) = self.unchanged(project, path) {
            return Some(parsed);
        }
        let file = project.read(path).ok()?;
        self.known(path, &file)
    }

    fn current(&mut self, project: &Project, path: &str) -> Result<(Arc<Parsed>, bool), ReadError> {
        if let Some(parsed) = self.unchanged(project, path) {
            return Ok((parsed, true));
        }
        let file = project.read(path)?;
        if let Some(parsed) = self.known(path, &file) {
            return Ok((parsed, true));
        }
        let hash = content_hash(&file.text);
        let parsed = Parsed::new(file.text, hash);
        let now = (self.clock)();
        if let Some(disk) = &mut self.disk {
            disk.put(&hash, &parsed.digest, now);
        }
        self.insert(path, parsed.clone(), Some(file.stamp), now);
        Ok((parsed, false))
    }

    /// Returns the entry whose file has the same metadata as when it was read.
    fn unchanged(&mut self, project: &Project, path: &str) -> Option<Arc<Parsed>> {
        self.expire(path);
        let entry = self.memory.get(path)?;
        let stamp = entry.stamp.filter(|stamp| stamp.is_settled(entry.read_at))?;
        if project.stamp(path) != Some(stamp) {
            return None;
        }
        self.touch(path).map(|entry| entry.parsed.clone())
    }

    /// Returns what memory or disk know of the content of a file.
    fn known(&mut self, path: &str, file: &SourceFile) -> Option<Arc<Parsed>> {
        let now = (self.clock)();
        let hash = content_hash(&file.text);
        if let Some(entry) = self.touch(path).filter(|entry| entry.parsed.hash == hash) {
            (entry.stamp, entry.read_at) = (Some(file.stamp), now);
            return Some(entry.parsed.clone());
        }
        let digest = self.disk.as_ref()?.get(&hash, now)?;
        let parsed = Parsed::known(file.text.clone(), hash, digest);
        self.insert(path, parsed.clone(), Some(file.stamp), now);
        Some(parsed)
    }

    fn insert(&mut self, path: &str, parsed: Arc<Parsed>, stamp: Option<Stamp>, now: SystemTime) {
        self.invalidate(path);
        let bytes = parsed.bytes() as u64;
        let keeps = matches!(self.config.strategy, CacheStrategy::Memory | CacheStrategy::Hybrid);
        if !keeps || bytes > self.config.max_size || !self.make_room(bytes) {
            return;
        }
        self.bytes += bytes;
        let entry = Entry { parsed, stamp, read_at: now, stored_at: now, requested: [false; 5] };
        self.memory.insert(path.to_owned(), entry);
    }

    /// Removes entries until `bytes` more fit; returns `false` if none may be removed.
    fn make_room(&mut self, bytes: u64) -> bool {
        while self.bytes + bytes > self.config.max_size {
            let entries = self.memory.iter();
            let oldest = match self.config.invalidation {
                Invalidation::Manual => None,
                Invalidation::Lru => entries.map(|(path, _)| path).next(),
                Invalidation::Ttl => entries.min_by_key(|(_, it)| it.stored_at).map(|(path, _)| path),
            };
            let Some(path) = oldest.cloned() else { return false };
            self.invalidate(&path);
        }
        true
    }

    fn expire(&mut self, path: &str) {
        let is_old = |entry: &Entry| {
            let age = (self.clock)().duration_since(entry.stored_at).unwrap_or_default();
            self.config.invalidation == Invalidation::Ttl && age > self.config.ttl
        };
        if self.memory.get(path).is_some_and(is_old) {
            self.invalidate(path);
        }
    }

    /// Marks an entry as the one used last.
    fn touch(&mut self, path: &str) -> Option<&mut Entry> {
        let index = self.memory.get_index_of(path)?;
        let last = self.memory.len() - 1;
        self.memory.move_index(index, last);
        self.memory.get_index_mut(last).map(|(_, entry)| entry)
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
