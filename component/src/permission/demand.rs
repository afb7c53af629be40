//! What has to be granted: capabilities with their limits.

use std::collections::BTreeMap;

use dialect::Requirement;

use super::bounds::Bounds;

/// One capability, and what its uses keep to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Atom {
    pub(crate) capability: String,
    pub(crate) bounds: Bounds,
}

/// All of some capabilities, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demand(BTreeMap<String, Bounds>);

impl Demand {
    /// That one capability.
    pub(crate) fn of(requirement: &Requirement) -> Self {
        let bounds = Bounds::new(&requirement.restrictions);
        Self(BTreeMap::from([(requirement.capability.clone(), bounds)]))
    }

    /// `A & B`. What stands in both keeps to both limits.
    pub(crate) fn and(mut self, other: Self) -> Self {
        for (capability, bounds) in other.0 {
            let own = self.0.remove(&capability).unwrap_or_default();
            self.0.insert(capability, own.meet(bounds));
        }
        self
    }

    /// All of them, kept to that too.
    pub(crate) fn restricted(self, restrictions: &BTreeMap<String, Vec<String>>) -> Self {
        let each = self.0.into_iter().map(|(id, it)| (id, it.meet(Bounds::new(restrictions))));
        Self(each.collect())
    }

    /// Each of them.
    pub(crate) fn into_atoms(self) -> impl Iterator<Item = Atom> {
        self.0.into_iter().map(|(capability, bounds)| Atom { capability, bounds })
    }
}
