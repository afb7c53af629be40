//! The lines that planned edits change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use source_text::feed_lone_returns;

use crate::fallback::edits::FileChange;
use crate::fallback::session::query_context::QueryContext;
use crate::fallback::workspace::buffers::Texts;

/// The changed lines of each file, from 0.
pub(crate) struct Changed(BTreeMap<PathBuf, BTreeSet<usize>>);

impl Changed {
    /// Returns the lines that these changes touch.
    pub(crate) fn by(asking: &QueryContext, files: &[FileChange]) -> Self {
        let texts = asking.texts();
        Self(files.iter().map(|it| (it.place.path.clone(), changed_lines(it, &texts))).collect())
    }

    /// Returns `true` if a line (from 0) changes.
    pub(crate) fn has(&self, path: &PathBuf, line: usize) -> bool {
        self.0.get(path).is_some_and(|it| it.contains(&line))
    }
}

/// Returns the lines, from 0, that a change touches.
fn changed_lines(file: &FileChange, texts: &Texts) -> BTreeSet<usize> {
    let mut bytes = file.before(texts).unwrap_or_default();
    feed_lone_returns(&mut bytes, None);
    let breaks: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    let line = |at: usize| breaks.partition_point(|it| *it < at);
    file.changes.iter().flat_map(|it| line(it.bytes.start)..=line(it.bytes.end)).collect()
}
