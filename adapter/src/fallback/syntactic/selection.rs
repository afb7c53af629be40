//! Chooses among several definitions of one name.

use syntax::Kind;

use super::candidate::Candidate;
use super::found_definition::FoundDefinition;
use crate::fallback::source::languages::{Language, ids};
use crate::fallback::source::names::{Fit, Name};

/// Keeps the definitions that fit the name best. Local variables, tests and embedded fields give way to others.
pub(super) fn best(
    mut found: Vec<FoundDefinition>,
    name: &Name,
    language: &Language,
) -> Vec<FoundDefinition> {
    // `Stack.Stack` names the constructor, although the file of the class usually has the same name.
    let is_made = |it: &FoundDefinition| is_constructor(&it.candidate) && it.candidate.fit != Fit::None;
    if name.path.last() == Some(&name.last) && found.iter().any(is_made) {
        found.retain(is_made);
    }
    let best = found.iter().map(|it| it.candidate.fit).max().unwrap_or(Fit::None);
    found.retain(|it| it.candidate.fit == best && best != Fit::None);
    if found.iter().any(|it| !it.candidate.is_local) {
        found.retain(|it| !it.candidate.is_local);
    }
    // A test that a call creates is named after its subject, which is meant instead.
    if found.iter().any(|it| !it.definition().is_made) {
        found.retain(|it| !it.definition().is_made);
    }
    // The name of a type means the type, not a field that is named after it.
    if found.iter().any(|it| it.definition().kind.is_type()) {
        found.retain(|it| !is_embedded(it));
    }
    without_constructors(declared_once(found, language))
}

/// Returns whether it is a field of a Go struct for an embedded type.
fn is_embedded(seen: &FoundDefinition) -> bool {
    let of = seen.definition().parent.map(|it| &seen.source.outline.definitions[it]);
    let is_base = |of: &syntax::Definition| of.bases.iter().any(|it| base_name(it) == seen.candidate.name);
    seen.source.language.id() == ids::GO && seen.definition().kind == Kind::Field && of.is_some_and(is_base)
}

/// Drops declarations of functions whose definition with a body was found too.
pub(super) fn declared_once(found: Vec<FoundDefinition>, language: &Language) -> Vec<FoundDefinition> {
    if !language.declares_apart {
        return found;
    }
    let is_of = |it: &FoundDefinition, other: &FoundDefinition| {
        let (one, other) = (&it.candidate, &other.candidate);
        (&one.name, &one.container) == (&other.name, &other.container)
    };
    let is_declared = |it: &FoundDefinition| it.definition().kind.is_callable() && !it.definition().has_body;
    let is_second = |it: &FoundDefinition| {
        let has_body =
            |other: &&FoundDefinition| other.definition().kind.is_callable() && other.definition().has_body;
        is_declared(it) && found.iter().filter(has_body).any(|other| is_of(it, other))
    };
    found.iter().filter(|it| !is_second(it)).cloned().collect()
}

/// Returns whether it is a constructor with the name of its type.
fn is_constructor(candidate: &Candidate) -> bool {
    candidate.kind == "constructor" && candidate.container.as_ref() == Some(&candidate.name)
}

/// Drops constructors with the name of their type if the type was found too.
pub(crate) fn without_constructors(found: Vec<FoundDefinition>) -> Vec<FoundDefinition> {
    let is_type =
        |it: &FoundDefinition, name: &str| it.definition().kind.is_type() && it.candidate.name == name;
    let is_second = |it: &FoundDefinition| {
        is_constructor(&it.candidate) && found.iter().any(|other| is_type(other, &it.candidate.name))
    };
    found.iter().filter(|it| !is_second(it)).cloned().collect()
}

/// Returns the last name of a base type as written: `fmt::Display`, `Generic[T]`, `Base<T>`, `\Model`.
pub(crate) fn base_name(written: &str) -> String {
    let plain = written.split_once(['<', '[', '(', '{']).map_or(written, |(it, _)| it).trim();
    let last = plain.rsplit_once(|it: char| !(it.is_alphanumeric() || it == '_'));
    last.map_or(plain, |(_, it)| it).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_have_names_of_their_own() {
        for (written, name) in [
            ("fmt::Display", "Display"),
            ("From<crate::Other>", "From"),
            ("Generic[T]", "Generic"),
            (r"\App\Model", "Model"),
            ("public Base", "Base"),
            ("Base(Other)", "Base"),
        ] {
            assert_eq!(base_name(written), name, "{written}");
        }
    }
}
