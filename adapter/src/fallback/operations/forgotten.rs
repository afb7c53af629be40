//! Uses of a symbol that a server would not rename: those in files that it indexes later, mostly.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::references::{home, mentions};
use super::{missed, subject::Subject};
use crate::fallback::asking::{Asking, Problem};
use crate::fallback::edits::FileChange;
use crate::fallback::outline::Extent;
use crate::fallback::roots::Roots;

/// How many places are named.
const NAMED: usize = 5;

/// Where the name would stay and leads to the symbol.
pub(super) async fn forgotten(
    asking: &Asking,
    roots: &Roots,
    subject: &Subject,
    files: &[FileChange],
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    let mut left = mentions(asking, roots, subject).await.lines;
    for file in files {
        let changed = changed_lines(file);
        if let Some(lines) = left.get_mut(&file.place.path) {
            lines.retain(|it| !changed.contains(it));
        }
    }
    left.retain(|_, lines| !lines.is_empty());
    missed::uses(asking, &left, &home(asking, subject).await?, &subject.name).await
}

/// The lines, from 0, on which something changes.
fn changed_lines(file: &FileChange) -> BTreeSet<usize> {
    let bytes = std::fs::read(&file.place.path).unwrap_or_default();
    let mut starts = BTreeMap::from([(0, 0)]);
    let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    starts.extend(breaks.zip(1..));
    let line = |at: usize| starts.range(..=at).next_back().map_or(0, |(_, line)| *line);
    let of = |it: &crate::fallback::edits::Change| line(it.bytes.start)..=line(it.bytes.end);
    file.changes.iter().flat_map(of).collect()
}

/// Says so.
pub(super) fn told(roots: &Roots, name: &str, left: &[(PathBuf, Extent)]) -> String {
    let places = left.iter().map(|(path, extent)| format!("{}:{}", roots.spell(path), extent.start.line));
    let mut places: Vec<String> = places.collect();
    let more = places.len().saturating_sub(NAMED);
    places.truncate(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("`{name}` would stay, and leads to what is renamed, at {}{more}", places.join(", "))
}
