//! Comparison of written names, qualified or not, with the names and containers of definitions.

use ide_protocol::Definition;

use crate::spelling::{marked_name, own_name, split_qualified, words};

/// Returns true if a written name names a symbol. The sign of an operator may stand apart: `operator ==`.
pub(crate) fn is_called(called: &str, written: &str) -> bool {
    let own = own_name(written);
    called == written
        || called == own
        || marked_name(written) == Some(called)
        || own.starts_with("operator ") && called.replace(' ', "") == own.replace(' ', "")
}

pub(crate) fn is_same_folded(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Returns the start of a sentence about an inexact match; the name follows. `None` if the match is exact.
pub(crate) fn inexact_match(name: &str, found: &[Definition]) -> Option<String> {
    let own = own_name(name);
    if !found.iter().any(|it| is_called(&it.name, name)) {
        return Some(format!("Nothing is called `{own}`; ignoring case, "));
    }
    let (container, last) = split_qualified(name)?;
    let is_known = is_here(container) || known_inside(container, found).is_some();
    (!is_known).then(|| format!("No `{last}` is known to belong to `{container}`; "))
}

/// Returns the definitions inside a container, judged by their containers, or else by their paths.
pub(crate) fn known_inside(container: &str, found: &[Definition]) -> Option<Vec<Definition>> {
    let inside = |belongs: fn(&Definition, &str) -> bool| -> Vec<_> {
        found.iter().filter(|it| belongs(it, container)).cloned().collect()
    };
    [is_in_container, is_in_module].map(inside).into_iter().find(|it| !it.is_empty())
}

/// Returns true for containers that are relative to the place of the name, which is unknown.
pub(crate) fn is_here(container: &str) -> bool {
    matches!(container, "crate" | "self" | "Self" | "super" | "this")
}

fn is_in_container(definition: &Definition, container: &str) -> bool {
    definition.container.as_deref().is_some_and(|it| words(it).any(|(_, word)| word == container))
}

/// Returns true if the file or one of its folders has the name of the container, as modules do.
fn is_in_module(definition: &Definition, container: &str) -> bool {
    let mut parts = definition.name_at.path.split('/');
    // Names of packages have hyphens in place of the underscores in code.
    parts.any(|part| part.split('.').next().is_some_and(|it| it.replace('-', "_") == container))
}
