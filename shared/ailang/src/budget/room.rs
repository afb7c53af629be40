//! Eviction: the loaded documents that lose detail to make room for another one.

use dialect::Level;

use super::Sizes;

/// A loaded document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedDocument {
    /// The path of the document.
    pub path: String,
    /// The tokens that it takes at each level.
    pub sizes: Sizes,
    /// The level at which it is loaded.
    pub level: Level,
    /// The lowest level to which it may fall: the current one if it is in use or was requested at a level.
    pub at_least: Level,
    /// The time of its last use, in any unit; only the order counts.
    pub last_used: u64,
    /// The number of times that its definitions were used.
    pub uses: u64,
}

/// A criterion by which documents are downgraded first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvictionOrder {
    /// Least recently used first.
    LeastRecentlyUsed,
    /// Least frequently used first.
    LeastFrequentlyUsed,
}

/// A document that falls by one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downgrade {
    /// The path of the document.
    pub path: String,
    /// The level after this step.
    pub to: Level,
}

/// Returns the downgrades after which `needed` more tokens fit into `available`.
///
/// Documents are downgraded one level at a time, sorted by the criteria in `order` and then by path. No
/// document falls further than necessary.
///
/// # Errors
/// The number of tokens that are missing when every document is at its lowest level.
pub fn make_room(
    loaded: &[LoadedDocument],
    needed: usize,
    available: usize,
    order: &[EvictionOrder],
) -> Result<Vec<Downgrade>, usize> {
    let mut documents: Vec<&LoadedDocument> = loaded.iter().collect();
    documents.sort_by_key(|it| (key(it, order), it.path.as_str()));
    let mut total = loaded.iter().fold(needed, |sum, it| sum.saturating_add(it.sizes.at(it.level)));
    let mut steps = Vec::new();
    for document in documents {
        let lower =
            Level::ALL.into_iter().rev().filter(|it| (document.at_least..document.level).contains(it));
        let mut size = document.sizes.at(document.level);
        for to in lower {
            if total <= available {
                break;
            }
            total -= size - document.sizes.at(to);
            size = document.sizes.at(to);
            steps.push(Downgrade { path: document.path.clone(), to });
        }
    }
    if total <= available { Ok(steps) } else { Err(total - available) }
}

fn key(document: &LoadedDocument, order: &[EvictionOrder]) -> Vec<u64> {
    let key = |order: &EvictionOrder| match order {
        EvictionOrder::LeastRecentlyUsed => document.last_used,
        EvictionOrder::LeastFrequentlyUsed => document.uses,
    };
    order.iter().map(key).collect()
}
