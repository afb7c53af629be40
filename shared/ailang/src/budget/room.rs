//! Room for one more document: which of those that are loaded are told in less detail.

use super::Sizes;
use crate::Level;

/// A document that is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Where it is.
    pub path: String,
    /// What it takes.
    pub sizes: Sizes,
    /// At which level it is loaded.
    pub level: Level,
    /// The level that it keeps at least: of one that is running, or that was asked for at a level, that one.
    pub at_least: Level,
    /// When something of it was last used; only the order counts.
    pub last_used: u64,
    /// How often something of it was used.
    pub uses: u64,
}

/// Which documents go down first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Those that have not been used for longest.
    LeastRecentlyUsed,
    /// Those that were used least often.
    LeastFrequentlyUsed,
}

/// A document that goes down by one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it is.
    pub path: String,
    /// The level that it has then.
    pub to: Level,
}

/// What has to go down, step by step, so that `needed` tokens more fit beside what is loaded, of `available` for all of
/// it: in that order, and by path where the order says nothing. Nothing goes down that need not.
///
/// # Errors
/// So many tokens are missing when everything is as low as it may be.
pub fn make_room(
    loaded: &[Loaded],
    needed: usize,
    available: usize,
    order: &[Order],
) -> Result<Vec<Step>, usize> {
    let mut documents: Vec<&Loaded> = loaded.iter().collect();
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
            steps.push(Step { path: document.path.clone(), to });
        }
    }
    if total <= available { Ok(steps) } else { Err(total - available) }
}

fn key(document: &Loaded, order: &[Order]) -> Vec<u64> {
    let key = |order: &Order| match order {
        Order::LeastRecentlyUsed => document.last_used,
        Order::LeastFrequentlyUsed => document.uses,
    };
    order.iter().map(key).collect()
}
