//! The room that loaded documents take in a model's context.

use std::sync::{Arc, Mutex};

use ailang::{Budget, EvictionOrder, Level, LoadedDocument, Sizes, make_room};
use indexmap::IndexMap;
use unpoisoned::lock;

/// The loader's policy for when documents do not fit, or are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextPolicy {
    /// Nothing: what does not fit is an error.
    Off,
    /// Documents that are used less lose detail to make room.
    #[default]
    Downgrade,
    /// That, and a document gains the declarations of its tools when one of them is used.
    Adaptive,
}

/// The text behind the name of a package, which no path has.
const SEPARATOR: &str = "//";

/// The room of several packages, each of which has a loader. A clone is the same room.
#[derive(Clone, Debug, Default)]
pub struct Room(Arc<Mutex<Shared>>);

/// The documents of one loader in the context, in the order in which they were loaded. Several loaders may share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    shared: Arc<Mutex<Shared>>,
    /// The start of the names of this loader's documents among those of all.
    prefix: String,
}

/// The documents of all loaders that share a context, by prefix and path.
#[derive(Debug, Default)]
struct Shared {
    documents: IndexMap<String, InContext>,
    uses: u64,
}

#[derive(Clone, Debug)]
pub(super) struct InContext {
    pub(super) sizes: Sizes,
    pub(super) level: Level,
    /// The level that was asked for, below which it does not fall.
    pub(super) at_least: Level,
    last_used: u64,
    uses: u64,
}

impl Context {
    /// Returns the documents of one loader among those of a room.
    pub(super) fn sharing(room: &Room, package: &str) -> Self {
        Self { shared: Arc::clone(&room.0), prefix: format!("{package}{SEPARATOR}") }
    }

    fn name(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    /// Returns a document.
    pub(super) fn get(&self, path: &str) -> Option<InContext> {
        lock(&self.shared).documents.get(&self.name(path)).cloned()
    }

    /// Returns the documents of this loader, with their paths.
    pub(super) fn documents(&self) -> Vec<(String, InContext)> {
        let shared = lock(&self.shared);
        let own =
            shared.documents.iter().filter_map(|(name, it)| Some((name.strip_prefix(&self.prefix)?, it)));
        let own = own.filter(|(path, _)| !path.contains(SEPARATOR));
        own.map(|(path, it)| (path.to_owned(), it.clone())).collect()
    }

    /// Lets a document fall to that level.
    pub(super) fn let_fall(&self, path: &str, at_least: Level) {
        if let Some(it) = lock(&self.shared).documents.get_mut(&self.name(path)) {
            it.at_least = at_least;
        }
    }

    /// Returns the tokens of all documents of all loaders.
    pub(super) fn tokens(&self) -> usize {
        lock(&self.shared).documents.values().map(|it| it.sizes.at(it.level)).sum()
    }

    /// Returns the tokens of all documents but one.
    pub(super) fn tokens_without(&self, path: &str) -> usize {
        let own = self.get(path).map_or(0, |it| it.sizes.at(it.level));
        self.tokens().saturating_sub(own)
    }

    /// Makes room for a document at a level, by downgrades of others where the policy allows them.
    ///
    /// # Errors
    /// The number of missing tokens. Nothing was changed.
    pub(super) fn make_room(
        &self,
        path: &str,
        needed: usize,
        budget: &Budget,
        policy: ContextPolicy,
        order: &[EvictionOrder],
    ) -> Result<(), usize> {
        let (available, name) = (budget.available(), self.name(path));
        let mut shared = lock(&self.shared);
        let others = shared.documents.iter().filter(|(other, _)| **other != name);
        let loaded: Vec<LoadedDocument> = others
            .map(|(name, it)| LoadedDocument {
                path: name.clone(),
                sizes: it.sizes,
                level: it.level,
                at_least: if policy == ContextPolicy::Off { it.level } else { it.at_least },
                last_used: it.last_used,
                uses: it.uses,
            })
            .collect();
        for downgrade in make_room(&loaded, needed, available, order)? {
            if let Some(it) = shared.documents.get_mut(&downgrade.path) {
                it.level = downgrade.to;
            }
        }
        Ok(())
    }

    /// Puts a document into the context, or changes its level.
    pub(super) fn put(&self, path: &str, sizes: Sizes, level: Level, at_least: Level) {
        let mut shared = lock(&self.shared);
        shared.uses += 1;
        let now = shared.uses;
        let new = InContext { sizes, level, at_least, last_used: now, uses: 0 };
        let document = shared.documents.entry(self.name(path)).or_insert(new);
        (document.sizes, document.level, document.at_least, document.last_used) =
            (sizes, level, at_least, now);
    }

    /// Counts a use of a document; returns its level.
    pub(super) fn mark_used(&self, path: &str) -> Option<Level> {
        let mut shared = lock(&self.shared);
        shared.uses += 1;
        let now = shared.uses;
        let document = shared.documents.get_mut(&self.name(path))?;
        document.last_used = now;
        document.uses += 1;
        Some(document.level)
    }
}
