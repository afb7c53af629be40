//! The room that loaded documents take in a model's context.

use ailang::{Budget, EvictionOrder, Level, LoadedDocument, Sizes, make_room};
use indexmap::IndexMap;

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

/// The documents in the context, by path, in the order in which they were loaded.
#[derive(Debug, Default)]
pub(super) struct Context {
    pub(super) documents: IndexMap<String, InContext>,
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
    /// Returns the tokens of all documents but one.
    pub(super) fn tokens_without(&self, path: &str) -> usize {
        let others = self.documents.iter().filter(|(other, _)| *other != path);
        others.map(|(_, it)| it.sizes.at(it.level)).sum()
    }

    /// Makes room for a document at a level, by downgrades of others where the policy allows them.
    ///
    /// # Errors
    /// The number of missing tokens. Nothing was changed.
    pub(super) fn make_room(
        &mut self,
        path: &str,
        needed: usize,
        budget: &Budget,
        policy: ContextPolicy,
        order: &[EvictionOrder],
    ) -> Result<(), usize> {
        let available = budget.available();
        let loaded: Vec<LoadedDocument> = self
            .documents
            .iter()
            .filter(|(other, _)| *other != path)
            .map(|(path, it)| LoadedDocument {
                path: path.clone(),
                sizes: it.sizes,
                level: it.level,
                at_least: if policy == ContextPolicy::Off { it.level } else { it.at_least },
                last_used: it.last_used,
                uses: it.uses,
            })
            .collect();
        for downgrade in make_room(&loaded, needed, available, order)? {
            if let Some(it) = self.documents.get_mut(&downgrade.path) {
                it.level = downgrade.to;
            }
        }
        Ok(())
    }

    /// Puts a document into the context, or changes its level.
    pub(super) fn put(&mut self, path: &str, sizes: Sizes, level: Level, at_least: Level) {
        self.uses += 1;
        let now = self.uses;
        let new = InContext { sizes, level, at_least, last_used: now, uses: 0 };
        let document = self.documents.entry(path.to_owned()).or_insert(new);
        (document.sizes, document.level, document.at_least, document.last_used) =
            (sizes, level, at_least, now);
    }

    /// Counts a use of a document; returns its level.
    pub(super) fn mark_used(&mut self, path: &str) -> Option<Level> {
        self.uses += 1;
        let document = self.documents.get_mut(path)?;
        document.last_used = self.uses;
        document.uses += 1;
        Some(document.level)
    }
}
