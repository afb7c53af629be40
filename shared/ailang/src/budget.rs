//! Token budgets: the detail of each document that fits into the context of a model.

mod plan;
mod room;
mod sizes;

use dialect::Level;
pub use plan::{LoadPlan, WantedDocument, plan};
pub use room::{Downgrade, EvictionOrder, LoadedDocument, make_room};
pub use sizes::Sizes;

use crate::front_matter::Loading;

/// The tokens of a model's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// The size of the context.
    pub max: usize,
    /// The tokens that are in use.
    pub used: usize,
    /// The tokens that are reserved for other content.
    pub reserved: usize,
}

impl Budget {
    /// Returns the free tokens: `max` less `reserved` and `used`, at least 0.
    pub fn available(&self) -> usize {
        self.max.saturating_sub(self.reserved).saturating_sub(self.used)
    }
}

/// Chooses the level of a document that nobody asked for at a level.
///
/// More available tokens give more detail, and never more than fits. A document that loads
/// [`Loading::Manual`] and is not approved is loaded at [`Level::Minimal`]. `None` if not even that fits.
pub fn automatic_level(
    sizes: &Sizes,
    loading: Loading,
    is_approved: bool,
    available: usize,
) -> Option<Level> {
    let wanted = match available {
        _ if loading == Loading::Manual && !is_approved => Level::Minimal,
        10_001.. => Level::Detailed,
        5_001.. => Level::Standard,
        2_001.. => Level::Compact,
        _ => Level::Minimal,
    };
    let mut levels = Level::ALL.into_iter().rev().skip_while(|level| *level > wanted);
    levels.find(|level| sizes.at(*level) <= available)
}
