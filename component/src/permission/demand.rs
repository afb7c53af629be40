//! The capabilities that have to be granted, with their limits.

use std::collections::BTreeMap;

use dialect::Requirement;

use super::bounds::Bounds;

/// One capability, and the limits of its use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CapabilityDemand {
    pub(crate) capability: String,
    pub(crate) bounds: Bounds,
}

/// Several capabilities, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demands(BTreeMap<String, Bounds>);

impl Demands {
    /// Returns the demand of one requirement.
    pub(crate) fn one(requirement: &Requirement) -> Self {
        let bounds = Bounds::new(&requirement.restrictions);
        Self(BTreeMap::from([(requirement.capability.clone(), bounds)]))
    }

    /// Merges two sets of demands: `A & B`. A capability of both keeps to both limits.
    pub(crate) fn and(mut self, other: Self) -> Self {
        for (capability, bounds) in other.0 {
            let own = self.0.remove(&capability).unwrap_or_default();
            self.0.insert(capability, own.meet(bounds));
        }
        self
    }

    /// Adds limits to all of them.
    pub(crate) fn restricted(self, restrictions: &BTreeMap<String, Vec<String>>) -> Self {
        let each = self.0.into_iter().map(|(id, it)| (id, it.meet(Bounds::new(restrictions))));
        Self(each.collect())
    }

    /// Returns the demands one by one.
    pub(crate) fn into_each(self) -> impl Iterator<Item = CapabilityDemand> {
        self.0.into_iter().map(|(capability, bounds)| CapabilityDemand { capability, bounds })
    }
}
