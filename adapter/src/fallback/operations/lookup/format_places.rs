//! Formats lists of places for notes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of places that a note names.
pub(crate) const NAMED: usize = 5;

/// Formats the first distinct lines and counts the rest: `src/a.rs:3, src/b.rs:7 and 4 more`.
pub(crate) fn places<'a>(
    roots: &SessionFolders,
    all: impl IntoIterator<Item = &'a (PathBuf, Extent)>,
    limit: usize,
) -> String {
    let lines: BTreeSet<_> =
        all.into_iter().map(|(path, it)| (roots.display_path(path), it.start.line)).collect();
    listed(&lines.iter().map(|(path, line)| format!("{path}:{line}")).collect::<Vec<_>>(), limit)
}

/// Formats the first entries and counts the rest: `a, b and 3 more`.
pub(crate) fn listed(places: &[String], limit: usize) -> String {
    let first = places[..places.len().min(limit)].join(", ");
    match places.len().saturating_sub(limit) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Formats a note on symbols that are left out beside others of their name.
pub(crate) fn left_out(count: usize, what: &str, name: &str, at: &str) -> String {
    match count {
        1 => format!("a {what} `{name}` is left out: {at}"),
        _ => format!("{count} {what}s `{name}` are left out: {at}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_named() {
        let note = |count| left_out(count, "field", "open", "a.rs:1");
        assert_eq!(note(1), "a field `open` is left out: a.rs:1");
        assert_eq!(note(2), "2 fields `open` are left out: a.rs:1");
    }

    #[test]
    fn what_is_beyond_is_counted() {
        let places = ["a", "b", "c"].map(str::to_owned);
        for (count, expected) in [(0, ""), (1, "a"), (2, "a, b"), (3, "a, b and 1 more")] {
            assert_eq!(listed(&places[..count], 2), expected);
        }
    }
}
