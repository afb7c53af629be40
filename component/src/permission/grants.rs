//! Permissions that were given.

use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::demand::Atom;
use crate::audit::Seal;

/// A permission that was given, and holds until it is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Grant {
    /// Which capability: `files/Write`.
    pub capability: String,
    /// What it is limited to.
    pub bounds: Bounds,
    /// Of the declaration that the user saw; a changed one has to be granted again.
    pub fingerprint: String,
    /// When, in seconds since 1970.
    pub granted_at: u64,
    /// The entry of the record that granted it. Without one, it does not count.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry: Option<Seal>,
}

impl Grant {
    pub(super) fn covers(&self, atom: &Atom, fingerprint: &str) -> bool {
        self.capability == atom.capability
            && self.fingerprint == fingerprint
            && self.bounds.cover(&atom.bounds)
    }
}

/// Those of one place: a session, a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants(Vec<Grant>);

impl Grants {
    /// Whether that may be done, by the declaration with that fingerprint.
    pub(crate) fn cover(&self, atom: &Atom, fingerprint: &str) -> bool {
        self.0.iter().any(|it| it.covers(atom, fingerprint))
    }

    /// Adds one, in the place of those that it makes superfluous.
    pub(crate) fn add(&mut self, grant: Grant) {
        let is_same = |it: &Grant| it.capability == grant.capability && grant.bounds.cover(&it.bounds);
        self.0.retain(|it| !is_same(it));
        self.0.push(grant);
    }

    /// Takes back every one of that capability, and gives them.
    pub(crate) fn revoke(&mut self, capability: &str) -> Vec<Grant> {
        self.0.extract_if(.., |it| it.capability == capability).collect()
    }

    /// All, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::capability::Catalogue;
    use crate::permission::demand::Demand;
    use dialect::Requirement;
    use proptest::prelude::*;

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

    fn grant(atom: Atom) -> Grant {
        let Atom { capability, bounds } = atom;
        Grant { capability, bounds, fingerprint: "f".to_owned(), granted_at: 0, entry: None }
    }

    fn granted(grants: &Grants, demand: &Demand) -> bool {
        demand.clone().into_atoms().all(|it| grants.cover(&it, "f"))
    }

    fn all(requirements: &[Requirement]) -> Demand {
        Catalogue::default().demand(requirements)
    }

    proptest! {
        #[test]
        fn both_are_granted_where_each_is(
            given in prop::collection::vec(requirement(), 0..6), a in requirement(), b in requirement(),
        ) {
            let mut grants = Grants::default();
            given.iter().flat_map(|it| Demand::of(it).into_atoms().collect::<Vec<_>>()).for_each(|it| grants.add(grant(it)));
            let each = granted(&grants, &Demand::of(&a)) && granted(&grants, &Demand::of(&b));
            let both = granted(&grants, &all(&[a.clone(), b.clone()]));
            // Of one capability twice, the composite keeps to both limits and so asks for less than either.
            prop_assert!(both || !each);
            prop_assert!(each == both || a.capability == b.capability);
        }

        #[test]
        fn composition_is_idempotent_commutative_and_associative(
            a in requirement(), b in requirement(), c in requirement(),
        ) {
            let of = |it: &Requirement| Demand::of(it);
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
                Demand::of(requirement).into_atoms().for_each(|it| grants.add(grant(it)));
            }
            prop_assert!(given.iter().all(|it| granted(&grants, &Demand::of(it))));
            grants.revoke("d/A");
            prop_assert!(given.iter().all(|it| granted(&grants, &Demand::of(it)) == (it.capability != "d/A")));
        }
    }

    #[test]
    fn a_grant_for_another_declaration_does_not_count() {
        let mut grants = Grants::default();
        let atom = Atom { capability: "d/A".to_owned(), bounds: Bounds::default() };
        grants.add(grant(atom.clone()));
        assert!(grants.cover(&atom, "f") && !grants.cover(&atom, "g"));
    }
}
