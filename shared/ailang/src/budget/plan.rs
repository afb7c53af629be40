//! The levels of several documents that share a budget.

use std::cmp::Ordering;

use dialect::Level;

use super::Sizes;

/// A document that is to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedDocument {
    /// The path of the document.
    pub path: String,
    /// The tokens that it takes at each level.
    pub sizes: Sizes,
    /// The number of times that its definitions were used.
    pub uses: u64,
}

/// The documents that fit, with their levels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadPlan {
    /// The path and the level of each loaded document, in the order of the request.
    pub levels: Vec<(String, Level)>,
    /// The documents that do not fit even at the lowest level: the last ones of the request.
    pub missing: Vec<String>,
    /// The tokens that all loaded documents take.
    pub tokens: usize,
}

/// Distributes `available` tokens over documents, the most important one first.
///
/// Each document gets the lowest level before any gets more. Then one level at a time goes to the document
/// with the highest worth per token. The worth halves with each place in the request, and grows with the
/// number of uses. If the best step does not fit, the others are tried in the same order, but not the first
/// document. With more room its level would then be lower, and it matters most.
///
/// The plan never takes more than `available`. If no document is missing, the first one's level never falls
/// when more becomes available.
pub fn plan(wants: &[WantedDocument], available: usize) -> LoadPlan {
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
    wants: &'w [WantedDocument],
    /// The levels of the documents that fit, as indices into [`Level::ALL`].
    levels: Vec<usize>,
    left: usize,
}

impl Chosen<'_> {
    /// Returns the cost of one level more, in tokens; `None` at the highest level.
    fn cost(&self, index: usize) -> Option<usize> {
        let level = self.levels[index];
        let above = Level::ALL.get(level + 1)?;
        Some(self.wants[index].sizes.at(*above) - self.wants[index].sizes.at(Level::ALL[level]))
    }

    /// Returns the best document to raise, from index `first` on, among those whose next level costs at most
    /// `most`.
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

    /// Compares two documents by worth per token; the second one comes earlier in the request.
    fn compare(&self, (later, cost): (usize, usize), (earlier, other_cost): (usize, usize)) -> Ordering {
        let worth = |index: usize, cost: usize| (u128::from(self.wants[index].uses) + 1) * (cost as u128);
        // Compares `worth / 2^index / cost` of both, multiplied out.
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

    fn into_plan(self, available: usize) -> LoadPlan {
        let levels = self.wants.iter().zip(&self.levels);
        LoadPlan {
            levels: levels.map(|(want, level)| (want.path.clone(), Level::ALL[*level])).collect(),
            missing: self.wants[self.levels.len()..].iter().map(|want| want.path.clone()).collect(),
            tokens: available - self.left,
        }
    }
}
