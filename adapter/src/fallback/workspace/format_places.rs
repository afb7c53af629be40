//! Lists of places for reasons.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::{Listing, Location};

use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of places that a reason names.
pub(crate) const NAMED: usize = 5;

/// Lists the first distinct lines, and counts the rest.
pub(crate) fn places<'a>(
    roots: &SessionFolders,
    all: impl IntoIterator<Item = &'a (PathBuf, Extent)>,
    limit: usize,
) -> Listing<Location> {
    let lines: BTreeSet<_> =
        all.into_iter().map(|(path, it)| (roots.display_path(path), it.start.line)).collect();
    Listing::of(lines.into_iter().map(|(path, line)| Location { path, line, column: None }), limit)
}

/// Returns the line of an extent.
pub(crate) fn line_of(roots: &SessionFolders, (path, at): (&PathBuf, Extent)) -> Location {
    Location { path: roots.display_path(path), line: at.start.line, column: None }
}
