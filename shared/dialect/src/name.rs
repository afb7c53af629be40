//! Names: when two count as the same, and which are near.

/// The form in which names are compared: without case and underscores.
pub(crate) fn fold(name: &str) -> String {
    name.chars().filter(|char| *char != '_').flat_map(char::to_lowercase).collect()
}

/// The names close enough to `wanted` to be what was meant, the closest first, three at most.
pub(crate) fn nearest<'name>(wanted: &str, names: impl IntoIterator<Item = &'name str>) -> Vec<&'name str> {
    let wanted = fold(wanted);
    let mut near: Vec<_> =
        names.into_iter().filter_map(|name| Some((distance(&wanted, &fold(name))?, name))).collect();
    near.sort();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Edits between two folded names, or `None` when they are too many for a slip.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    let length = wanted.chars().count().max(name.chars().count());
    let edits = strsim::osa_distance(wanted, name);
    if edits <= length.div_ceil(3) {
        return Some(edits);
    }
    // `references` for `findReferences`.
    let contained = wanted.len() >= 4 && name.contains(wanted) || name.len() >= 4 && wanted.contains(name);
    contained.then_some(edits)
}
