//! Granted permissions.

use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::demand::CapabilityDemand;
use crate::audit::Seal;

/// A granted permission, which holds until it is revoked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Grant {
    /// The id of the capability: `files/Write`.
    pub capability: String,
    /// The limits of its use.
    pub bounds: Bounds,
    /// The fingerprint of the declaration that the user saw. A changed declaration has to be granted again.
    pub fingerprint: String,
    /// The time in seconds since the start of 1970.
    pub granted_at: u64,
    /// The entry of the audit log that granted it. A grant without one does not count.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry: Option<Seal>,
}

impl Grant {
    pub(super) fn covers(&self, demand: &CapabilityDemand, fingerprint: &str) -> bool {
        self.capability == demand.capability
            && self.fingerprint == fingerprint
            && self.bounds.cover(&demand.bounds)
    }
}

/// The grants of a session or of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants(Vec<Grant>);

impl Grants {
    /// Returns whether a grant covers a demand, for the declaration with that fingerprint.
    pub(crate) fn cover(&self, demand: &CapabilityDemand, fingerprint: &str) -> bool {
        self.0.iter().any(|it| it.covers(demand, fingerprint))
    }

    /// Adds a grant, in place of those that it makes superfluous.
    pub(crate) fn add(&mut self, grant: Grant) {
        let is_same = |it: &Grant| it.capability == grant.capability && grant.bounds.cover(&it.bounds);
        self.0.retain(|it| !is_same(it));
        self.0.push(grant);
    }

    /// Removes all grants of a capability, and returns them.
    pub(crate) fn revoke(&mut self, capability: &str) -> Vec<Grant> {
        self.0.extract_if(.., |it| it.capability == capability).collect()
    }

    /// Returns all grants, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.0.iter()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use dialect::Requirement;
    use proptest::prelude::*;

    use super::*;
    use crate::permission::capability::Catalogue;
    use crate::permission::demand::Demands;

    fn requirement() -> impl Strategy<Value = Requirement> {
        let capability = prop::sample::select(vec!["d/A", "d/B", "d/C", "d/D"]);
        let values = prop::collection::vec(prop::sample::select(vec!["src/**", "src/a", "**"]), 1..3);
        (capability, prop::option::of(values)).prop_map(|(capability, values)| {
            let requirement = Requirement::new(capability);
            match values {
                Some(values) => requirement.restricted("paths", values),
                None => requirement,
            }
        })
    }

    fn grant(demand: CapabilityDemand) -> Grant {
        let CapabilityDemand { capability, bounds } = demand;
        Grant { capability, bounds, fingerprint: "f".to_owned(), granted_at: 0, entry: None }
    }

    fn granted(grants: &Grants, demand: &Demands) -> bool {
        demand.clone().into_each().all(|it| grants.cover(&it, "f"))
    }

    fn all(requirements: &[Requirement]) -> Demands {
        Catalogue::default().demand(requirements)
    }

    proptest! {
        #[test]
        fn both_are_granted_where_each_is(
            given in prop::collection::vec(requirement(), 0..6), a in requirement(), b in requirement(),
        ) {
            let mut grants = Grants::default();
            given.iter().flat_map(|it| Demands::one(it).into_each()).for_each(|it| grants.add(grant(it)));
            let each = granted(&grants, &Demands::one(&a)) && granted(&grants, &Demands::one(&b));
            let both = granted(&grants, &all(&[a.clone(), b.clone()]));
            // A composite of one capability twice keeps to both limits, so it asks for less than either.
            prop_assert!(both || !each);
            prop_assert!(each == both || a.capability == b.capability);
        }

        #[test]
        fn composition_is_idempotent_commutative_and_associative(
            a in requirement(), b in requirement(), c in requirement(),
        ) {
            let of = |it: &Requirement| Demands::one(it);
            prop_assert_eq!(of(&a).and(of(&a)), of(&a));
            prop_assert_eq!(of(&a).and(of(&b)), of(&b).and(of(&a)));
            prop_assert_eq!(of(&a).and(of(&b)).and(of(&c)), of(&a).and(of(&b).and(of(&c))));
        }

        #[test]
        fn what_is_added_is_granted_and_what_is_revoked_is_not(
            given in prop::collection::vec(requirement(), 1..6),
        ) {
            let mut grants = Grants::default();
            for requirement in &given {
                Demands::one(requirement).into_each().for_each(|it| grants.add(grant(it)));
            }
            prop_assert!(given.iter().all(|it| granted(&grants, &Demands::one(it))));
            grants.revoke("d/A");
            prop_assert!(given.iter().all(|it| granted(&grants, &Demands::one(it)) == (it.capability != "d/A")));
        }
    }

    #[test]
    fn a_grant_for_another_declaration_does_not_count() {
        let mut grants = Grants::default();
        let demand = CapabilityDemand { capability: "d/A".to_owned(), bounds: Bounds::default() };
        grants.add(grant(demand.clone()));
        assert!(grants.cover(&demand, "f") && !grants.cover(&demand, "g"));
    }
}
