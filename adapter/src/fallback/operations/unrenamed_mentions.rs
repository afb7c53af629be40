//! Finds mentions that a rename leaves unchanged: in strings, comments, other files, and as names of other
//! symbols.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{Column, FileRange, Line, Point};

use crate::blocking;
use crate::fallback::edits::FileChange;
use crate::fallback::source::text::{Text, excerpt};
use crate::fallback::source::{languages, line_pattern};
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::workspace::buffers::Texts;
use crate::fallback::workspace::line_search;
use crate::fallback::workspace::line_search::LineQuery;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::walk::TreesLeftOut;

/// The maximum number of lines reported.
const SHOWN: usize = 50;

/// The maximum number of lines inspected; any beyond are only counted.
const LOOKED_AT: usize = 5_000;

/// The lines that still contain the old name.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// A sample of them. Prose comes first, since a compiler would report the others.
    pub(crate) lines: Vec<FileRange>,
    pub(crate) total: u64,
    /// `true` if every file was searched.
    pub(crate) is_all: bool,
}

/// Searches all files as they would be after these changes.
pub(crate) async fn kept(
    roots: &Arc<SessionFolders>,
    name: &str,
    changes: &[FileChange],
    until: Instant,
) -> Kept {
    let (roots, name, changes) = (Arc::clone(roots), name.to_owned(), changes.to_vec());
    let scan = blocking::spawn(move || scan(&roots, &name, &changes, until));
    scan.await
}

fn scan(roots: &SessionFolders, name: &str, changes: &[FileChange], until: Instant) -> Kept {
    let changes: HashMap<&Path, &FileChange> =
        changes.iter().map(|it| (it.place.path.as_path(), it)).collect();
    let (mut kept, hits) = mentions(roots, name, until);
    for (path, lines) in hits {
        let text = match changes.get(path.as_path()) {
            None => match roots.texts().get(&path) {
                Some(text) => Some(Text::clone(text)),
                None => Text::read(&path).ok(),
            },
            Some(change) => rewritten(change, &roots.texts()),
        };
        let Some(text) = text else { continue };
        let left: Vec<_> =
            lines.iter().filter_map(|line| Some((*line, columns(&path, &text, *line, name)?))).collect();
        kept.total -= (lines.len() - left.len()) as u64;
        kept.lines.extend(ranges(roots, &path, &text, &left));
    }
    kept.lines.sort_by_key(|it| (!is_prose(it), it.path.clone(), it.start));
    kept.lines.truncate(SHOWN);
    kept
}

/// Returns the lines that contain the name before the changes, by file.
fn mentions(roots: &SessionFolders, name: &str, until: Instant) -> (Kept, BTreeMap<PathBuf, Vec<usize>>) {
    let Ok(matcher) = line_pattern::whole_word(name) else { return Default::default() };
    let (mut kept, mut lines) = (Kept { is_all: true, ..Kept::default() }, BTreeMap::new());
    for folder in roots.folders() {
        let query = LineQuery {
            start: folder.clone(),
            root: folder.clone(),
            matcher: matcher.clone(),
            texts: roots.texts(),
            suffixes: Vec::new(),
            keep: LOOKED_AT,
            deadline: Some(until),
            left_out: TreesLeftOut::default(),
        };
        let found = line_search::run(&query, &Arc::default());
        kept.is_all &= !found.stopped;
        kept.total += found.total;
        let hits = found.hits.into_iter();
        lines.extend(hits.map(|(path, hits)| (path, hits.into_iter().map(|it| it.line).collect())));
    }
    (kept, lines)
}

/// Returns the text of a file after the change.
fn rewritten(change: &FileChange, texts: &Texts) -> Option<Text> {
    let before = change.before(texts)?;
    Some(Text::from(String::from_utf8_lossy(&change.applied(&before)).into_owned()))
}

/// Returns the columns of the first occurrence of the name on a line.
fn columns(path: &Path, text: &Text, line: usize, name: &str) -> Option<Range<usize>> {
    let words = languages::words(path, text.line(line)?);
    words.into_iter().find(|(word, _)| word == name).map(|(_, columns)| columns)
}

fn ranges(
    roots: &SessionFolders,
    path: &Path,
    text: &Text,
    lines: &[(usize, Range<usize>)],
) -> Vec<FileRange> {
    let place = roots.place(path.to_owned());
    let point = |line, column| Point { line: Line::from_index(line), column: Column::from_index(column) };
    let points: Vec<_> = lines.iter().map(|(line, columns)| point(*line, columns.start)).collect();
    let usages = syntax_facts::read(path, text, &place.spelling, &points);
    let ranges = lines.iter().enumerate().map(|(index, (line, columns))| {
        let (start, end) = (point(*line, columns.start), point(*line, columns.end));
        let shown = text.line(*line).map(|it| excerpt(it, columns.start));
        let range = FileRange { text: shown, ..FileRange::new(place.spelling.clone(), start, end) };
        match &usages {
            Some(usages) => usages[index].clone().add_to(range),
            None => range,
        }
    });
    ranges.collect()
}

/// Returns `true` if no compiler reads the range.
fn is_prose(range: &FileRange) -> bool {
    matches!(range.role.as_deref(), None | Some("documentation" | "comment" | "string"))
}
