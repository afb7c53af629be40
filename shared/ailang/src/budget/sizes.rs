//! The tokens that a document takes at each level.

use dialect::Level;

use crate::Document;
use crate::front_matter::FrontMatter;

/// The tokens of a document at each level. No level takes more than the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes([usize; 5]);

impl Sizes {
    /// The tokens that are added to each document for the text around it.
    pub const FRAME: usize = 8;

    /// Takes sizes by level, the lowest level first. A size below the previous one is raised to it.
    pub fn new(mut sizes: [usize; 5]) -> Self {
        for index in 1..sizes.len() {
            sizes[index] = sizes[index].max(sizes[index - 1]);
        }
        Self(sizes)
    }

    /// Estimates the sizes of a document with [`dialect::tokens`].
    pub fn estimate(document: &Document) -> Self {
        Self::new(Level::ALL.map(|level| dialect::tokens(&document.at(level)) + Self::FRAME))
    }

    /// Reads the size hints of a document that is not loaded; `None` if a level has no hint.
    pub fn from_hints(front_matter: &FrontMatter) -> Option<Self> {
        let mut sizes = [0; 5];
        for (size, level) in sizes.iter_mut().zip(Level::ALL) {
            let (_, hint) = front_matter.size_hints.iter().find(|(hinted, _)| *hinted == level)?;
            *size = usize::try_from(*hint).ok()?.saturating_add(Self::FRAME);
        }
        Some(Self::new(sizes))
    }

    /// Returns the size at a level.
    pub fn at(&self, level: Level) -> usize {
        self.0[level as usize]
    }
}
