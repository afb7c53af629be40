//! The catalogue of capabilities: their declarations, their owners, and the parts of composed ones.

use std::collections::BTreeMap;

use ailang::{Capability, CapabilityKind as Kind};
use dialect::Requirement;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::demand::Demands;

/// Returns the fingerprint of a declaration. A permission does not hold for a declaration that has changed since.
pub(crate) fn fingerprint(capability: &Capability) -> String {
    let Capability { id, ask, scopes, kind, origin, .. } = capability;
    let scopes: Vec<_> = scopes.iter().map(|it| it.name()).collect();
    let text = json!([id, ask, scopes, kind.name(), origin]).to_string();
    hex::encode(Sha256::digest(text))
}

/// A declaration that conflicts with earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CapabilityError {
    /// The name is declared already. A second declaration would change what the first asks.
    #[error("the capability `{0}` is declared twice")]
    Twice(String),
    /// The name belongs to the document of another library.
    #[error("the capability `{id}` belongs to `{owner}`, and `{by}` cannot declare it")]
    Foreign {
        /// The id of the capability.
        id: String,
        /// The library that owns the name.
        owner: String,
        /// The library that tried to declare it.
        by: String,
    },
}

/// The known capabilities.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    declared: BTreeMap<String, Capability>,
    /// The library that each document belongs to.
    owners: BTreeMap<String, Owner>,
}

#[derive(Clone, Debug)]
struct Owner {
    library: String,
    origin: Option<String>,
}

impl Catalogue {
    /// Adds a library, which owns the documents of its name.
    pub(crate) fn introduce(&mut self, library: &str, origin: Option<&str>) {
        self.own(library, library, origin);
    }

    /// Returns whether a library or a document has that name.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.owners.contains_key(name)
    }

    /// Returns whether somebody has declared a capability of that name.
    pub(crate) fn is_declared(&self, id: &str) -> bool {
        self.declared.contains_key(id)
    }

    /// Adds what another catalogue has and this one lacks.
    pub(crate) fn learn(&mut self, other: &Self) {
        for (id, capability) in &other.declared {
            self.declared.entry(id.clone()).or_insert_with(|| capability.clone());
        }
        for (document, owner) in &other.owners {
            self.owners.entry(document.clone()).or_insert_with(|| owner.clone());
        }
    }

    /// Declares a capability of a library, simple or composed.
    ///
    /// # Errors
    /// The name is declared already, or belongs to the document of another library.
    pub(crate) fn declare(&mut self, library: &str, capability: Capability) -> Result<(), CapabilityError> {
        let id = capability.id.clone();
        let owner = self.own(document(&id), library, capability.origin.as_deref()).library.clone();
        if owner != library {
            return Err(CapabilityError::Foreign { id, owner, by: library.to_owned() });
        }
        if self.declared.contains_key(&id) {
            return Err(CapabilityError::Twice(id));
        }
        self.declared.insert(id, capability);
        Ok(())
    }

    fn own(&mut self, document: &str, library: &str, origin: Option<&str>) -> &Owner {
        let owner = || Owner { library: library.to_owned(), origin: origin.map(str::to_owned) };
        self.owners.entry(document.to_owned()).or_insert_with(owner)
    }

    /// Returns the declaration of a capability. One that nobody declared gets a default under its name.
    pub(crate) fn find(&self, id: &str) -> Capability {
        match self.declared.get(id) {
            Some(capability) if capability.parts.is_empty() => capability.clone(),
            Some(_) | None => self.undeclared(id),
        }
    }

    fn undeclared(&self, id: &str) -> Capability {
        let origin = self.owners.get(document(id)).and_then(|it| it.origin.clone());
        let name = id.rsplit('/').next().unwrap_or(id);
        Capability { origin, ..Capability::new(id, format!("Let {name} change things")).kind(Kind::Edit) }
    }

    /// Returns everything that has to be granted for some requirements, with composed capabilities taken apart.
    pub(crate) fn demand<'a>(&self, requirements: impl IntoIterator<Item = &'a Requirement>) -> Demands {
        let each = requirements.into_iter().map(|it| self.demand_of(it, &mut Vec::new()));
        each.fold(Demands::default(), Demands::and)
    }

    fn demand_of(&self, requirement: &Requirement, inside: &mut Vec<String>) -> Demands {
        let id = &requirement.capability;
        match self.declared.get(id) {
            // A capability that contains itself is not expanded again.
            Some(Capability { parts, .. }) if !parts.is_empty() && !inside.contains(id) => {
                inside.push(id.clone());
                let each = parts.iter().map(|part| self.demand_of(part, inside)).collect::<Vec<_>>();
                inside.pop();
                each.into_iter().fold(Demands::default(), Demands::and).restricted(&requirement.restrictions)
            }
            _ => Demands::one(requirement),
        }
    }
}

fn document(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(document, _)| document)
}

#[cfg(test)]
mod tests {
    use ailang::GrantScope as Scope;

    use super::*;

    fn catalogue() -> Catalogue {
        let mut catalogue = Catalogue::default();
        catalogue.introduce("files", None);
        catalogue.introduce("web", Some("web-tools"));
        catalogue
    }

    #[test]
    fn nobody_declares_what_belongs_to_another() {
        let mut catalogue = catalogue();
        let harmless = Capability::new("files/Write", "Nothing to worry about");
        let expected = CapabilityError::Foreign {
            id: "files/Write".to_owned(),
            owner: "files".to_owned(),
            by: "web".to_owned(),
        };
        assert_eq!(catalogue.declare("web", harmless.clone()), Err(expected));
        assert_eq!(catalogue.declare("files", Capability::new("files/Write", "Write")), Ok(()));
        let again = CapabilityError::Twice("files/Write".to_owned());
        assert_eq!(catalogue.declare("files", harmless), Err(again));
        assert_eq!(catalogue.find("files/Write").ask, "Write");
    }

    #[test]
    fn what_nobody_declared_is_asked_for_by_its_name_and_origin() {
        let found = catalogue().find("web/post");
        assert_eq!(
            (found.ask.as_str(), found.origin.as_deref()),
            ("Let post change things", Some("web-tools"))
        );
        assert_eq!(catalogue().find("files/remove").origin, None);
    }

    #[test]
    fn a_composite_is_all_of_its_parts() {
        let mut catalogue = catalogue();
        let parts = vec![
            Requirement::new("files/Write").restricted("paths", ["out/**"]),
            Requirement::new("web/Post"),
        ];
        catalogue.declare("files", Capability::composed("files/Publish", parts.clone())).unwrap();
        catalogue
            .declare("files", Capability::composed("files/Release", vec![Requirement::new("files/Publish")]))
            .unwrap();
        let all = catalogue.demand(&parts);
        assert_eq!(catalogue.demand([&Requirement::new("files/Publish")]), all);
        assert_eq!(catalogue.demand([&Requirement::new("files/Release")]), all);
    }

    #[test]
    fn a_composite_of_itself_is_asked_for_by_name() {
        let mut catalogue = catalogue();
        catalogue
            .declare("files", Capability::composed("files/A", vec![Requirement::new("files/B")]))
            .unwrap();
        catalogue
            .declare("files", Capability::composed("files/B", vec![Requirement::new("files/A")]))
            .unwrap();
        let demand = catalogue.demand([&Requirement::new("files/A")]);
        assert_eq!(demand, Demands::one(&Requirement::new("files/A")));
    }

    #[test]
    fn a_changed_declaration_has_another_fingerprint() {
        let one = Capability::new("files/Write", "Write");
        assert_eq!(fingerprint(&one), fingerprint(&one.clone()));
        let others = [
            Capability::new("files/Write", "Write everything"),
            one.clone().scopes([Scope::Once]),
            one.clone().kind(Kind::Execute),
            Capability { origin: Some("x".to_owned()), ..one.clone() },
        ];
        assert!(others.iter().all(|it| fingerprint(it) != fingerprint(&one)));
    }
}
