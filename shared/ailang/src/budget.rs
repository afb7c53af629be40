//! How much of which document fits into the context of a model.

mod plan;
mod room;

pub use plan::{Plan, Want, plan};
pub use room::{Loaded, Order, Step, make_room};

use crate::front_matter::{FrontMatter, Loading};
use crate::{Document, Level};

/// Tokens of a model's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// So many there are.
    pub max: usize,
    /// So many are taken.
    pub used: usize,
    /// So many are kept for something else.
    pub reserved: usize,
}

impl Budget {
    /// So many are left.
    pub fn available(&self) -> usize {
        self.max.saturating_sub(self.reserved).saturating_sub(self.used)
    }
}

/// So many tokens a document takes at each level. No level takes more than the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes([usize; 5]);

impl Sizes {
    /// Tokens that each document takes beside its text, for whatever is put around it.
    pub const FRAME: usize = 8;

    /// Sizes by level, the lowest first. One that is less than the one before counts as that.
    pub fn new(mut sizes: [usize; 5]) -> Self {
        for index in 1..sizes.len() {
            sizes[index] = sizes[index].max(sizes[index - 1]);
        }
        Self(sizes)
    }

    /// The sizes of a document that is there, estimated by [`dialect::tokens`].
    pub fn of(document: &Document) -> Self {
        Self::new(Level::ALL.map(|level| dialect::tokens(&document.at(level)) + Self::FRAME))
    }

    /// The sizes that a document says that it has, when it is not there yet; `None` when it does not say all.
    pub fn hinted(front_matter: &FrontMatter) -> Option<Self> {
        let mut sizes = [0; 5];
        for (size, level) in sizes.iter_mut().zip(Level::ALL) {
            let (_, hint) = front_matter.size_hints.iter().find(|(hinted, _)| *hinted == level)?;
            *size = usize::try_from(*hint).ok()?.saturating_add(Self::FRAME);
        }
        Some(Self::new(sizes))
    }

    /// The size at a level.
    pub fn at(&self, level: Level) -> usize {
        self.0[level as usize]
    }
}

/// The level of a document for which nobody asked for one: the more is available the more of it, and no more than
/// fits. One that the user has to agree to, and did not, is only named. `None` when not even that fits.
pub fn automatic(sizes: &Sizes, loading: Loading, is_approved: bool, available: usize) -> Option<Level> {
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
