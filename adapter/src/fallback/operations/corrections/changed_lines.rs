//! The lines on which planned edits change files.

use crate::fallback::edits::FileChange;
use crate::fallback::session::query_context::QueryContext;
use crate::fallback::workspace::buffers::Texts;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The lines on which files change.
pub(crate) struct Changed(BTreeMap<PathBuf, BTreeSet<usize>>);

impl Changed {
    pub(crate) fn by(asking: &QueryContext, files: &[FileChange]) -> Self {
        let texts = asking.server.buffers.texts();
        Self(files.iter().map(|it| (it.place.path.clone(), changed_lines(it, &texts))).collect())
    }

    /// Whether a line (from 0) is one of them.
    pub(crate) fn has(&self, path: &PathBuf, line: usize) -> bool {
        self.0.get(path).is_some_and(|it| it.contains(&line))
    }
}

/// The lines, from 0, on which something changes.
fn changed_lines(file: &FileChange, texts: &Texts) -> BTreeSet<usize> {
    let bytes = file.before(texts).unwrap_or_default();
    let breaks: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    let line = |at: usize| breaks.partition_point(|it| *it < at);
    file.changes.iter().flat_map(|it| line(it.bytes.start)..=line(it.bytes.end)).collect()
}
