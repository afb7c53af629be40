//! Uses of a symbol that a server would not rename: those in files that it indexes later, mostly.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ide_protocol::Point;

use super::listed::places;
use super::references::{home, mentions};
use super::{missed, subject::Subject};
use crate::fallback::asking::{Asking, Problem};
use crate::fallback::buffers::Texts;
use crate::fallback::edits::FileChange;
use crate::fallback::outline::Extent;
use crate::fallback::roots::Roots;

/// How many places are named.
const NAMED: usize = 5;

/// Where the name of a symbol stands, whatever it means there, and where it leads when it means the symbol.
pub(super) struct Mentioned {
    lines: BTreeMap<PathBuf, BTreeSet<usize>>,
    home: BTreeSet<(PathBuf, Point)>,
}

impl Mentioned {
    /// Looks at all files of the language.
    pub(super) async fn of(asking: &Asking, roots: &Roots, subject: &Subject) -> Result<Self, Problem> {
        let lines = mentions(asking, roots, &subject.name).await.lines;
        Ok(Self { lines, home: home(asking, subject).await? })
    }

    /// The names of the symbol's own definitions.
    pub(super) fn home(&self) -> &BTreeSet<(PathBuf, Point)> {
        &self.home
    }

    /// Where the name would stay after these changes and leads to the symbol.
    pub(super) async fn left_by(
        &self,
        asking: &Asking,
        name: &str,
        files: &[FileChange],
    ) -> Result<Vec<(PathBuf, Extent)>, Problem> {
        let (mut left, texts) = (self.lines.clone(), asking.server.buffers.texts());
        for file in files {
            let changed = changed_lines(file, &texts);
            if let Some(lines) = left.get_mut(&file.place.path) {
                lines.retain(|it| !changed.contains(it));
            }
        }
        left.retain(|_, lines| !lines.is_empty());
        Ok(missed::uses(asking, &left, &self.home, name).await?.uses)
    }
}

/// The lines, from 0, on which something changes.
fn changed_lines(file: &FileChange, texts: &Texts) -> BTreeSet<usize> {
    let bytes = file.before(texts).unwrap_or_default();
    let breaks: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    let line = |at: usize| breaks.partition_point(|it| *it < at);
    file.changes.iter().flat_map(|it| line(it.bytes.start)..=line(it.bytes.end)).collect()
}

/// Says so.
pub(super) fn told(roots: &Roots, name: &str, left: &[(PathBuf, Extent)]) -> String {
    format!("`{name}` would stay, and leads to what is renamed, at {}", places(roots, left, NAMED))
}
