//! The levels of several documents at once.

use std::cmp::Ordering;

use super::Sizes;
use crate::Level;

/// A document that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// Where it is.
    pub path: String,
    /// What it takes.
    pub sizes: Sizes,
    /// How often something of it was used.
    pub uses: u64,
}

/// What is loaded of the documents that are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Each with its level, in the order of the wants.
    pub levels: Vec<(String, Level)>,
    /// Those for which there is no room at all: the last ones.
    pub missing: Vec<String>,
    /// So many tokens it takes.
    pub tokens: usize,
}

/// Spends `available` tokens on documents, those first that are wanted first.
///
/// Each is there at the lowest level before any has more. What is left goes step by step to the document to which a
/// level more is worth most for its tokens: twice as much as to the one behind it, and more the more it was used. When
/// that does not fit, what is left goes to others in the same order, but not to the first document: with more room it
/// would be at a lower level, and it is the one that matters.
///
/// It never takes more than is available. Where none is missing, the first document's level is never lower with more
/// available.
pub fn plan(wants: &[Want], available: usize) -> Plan {
    let mut chosen = Chosen { wants, levels: Vec::new(), left: available };
    for want in wants {
        let size = want.sizes.at(Level::Minimal);
        if size > chosen.left {
            break;
        }
        chosen.left -= size;
        chosen.levels.push(0);
    }
    while let Some(best) = chosen.best(0, usize::MAX) {
        if chosen.cost(best) > Some(chosen.left) {
            break;
        }
        chosen.raise(best);
    }
    while let Some(best) = chosen.best(1, chosen.left) {
        chosen.raise(best);
    }
    chosen.into_plan(available)
}

struct Chosen<'w> {
    wants: &'w [Want],
    /// Of those that have room, as indices into [`Level::ALL`].
    levels: Vec<usize>,
    left: usize,
}

impl Chosen<'_> {
    /// What one level more of a document takes; `None` when it has all.
    fn cost(&self, index: usize) -> Option<usize> {
        let level = self.levels[index];
        let above = Level::ALL.get(level + 1)?;
        Some(self.wants[index].sizes.at(*above) - self.wants[index].sizes.at(Level::ALL[level]))
    }

    /// The document from `first` on to which a level more is worth most, of those to which it costs at most `most`.
    fn best(&self, first: usize, most: usize) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for index in first..self.levels.len() {
            let Some(cost) = self.cost(index).filter(|cost| *cost <= most) else { continue };
            if best.is_none_or(|best| self.compare((index, cost), best).is_gt()) {
                best = Some((index, cost));
            }
        }
        best.map(|(index, _)| index)
    }

    /// Which of two is worth more for what it costs; the earlier one is the second.
    fn compare(&self, (later, cost): (usize, usize), (earlier, other_cost): (usize, usize)) -> Ordering {
        let worth = |index: usize, cost: usize| (u128::from(self.wants[index].uses) + 1) * (cost as u128);
        // `worth(later) / 2^later / cost` against the same of the earlier one, multiplied out.
        let mine = worth(later, other_cost);
        let other = worth(earlier, cost);
        let places = later - earlier;
        match u32::try_from(places).ok().filter(|places| other.leading_zeros() >= *places) {
            Some(places) => mine.cmp(&(other << places)),
            None if other == 0 => mine.cmp(&0),
            None => Ordering::Less,
        }
    }

    fn raise(&mut self, index: usize) {
        self.left -= self.cost(index).unwrap_or_default();
        self.levels[index] += 1;
    }

    fn into_plan(self, available: usize) -> Plan {
        let levels = self.wants.iter().zip(&self.levels);
        Plan {
            levels: levels.map(|(want, level)| (want.path.clone(), Level::ALL[*level])).collect(),
            missing: self.wants[self.levels.len()..].iter().map(|want| want.path.clone()).collect(),
            tokens: available - self.left,
        }
    }
}
