//! Finds lines that match a pattern: ripgrep's crates, bounded in memory, in order of path and line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};

use super::buffers::Texts;
use super::walk;
use crate::fallback::source::parallel::threads;
use crate::fallback::source::top_matches::First;
use crate::lock::lock;
use crate::os;

/// A line longer than this is not looked into: the file is counted as skipped.
const LINE_LIMIT: usize = 32 * 1024 * 1024;

/// Fewer files are searched by one thread.
const ALONE: usize = 32;

/// Of a longer line only a part is kept, so many bytes before the match and so many behind its start: a thousand lines of
/// generated files would fill the memory.
const LINE_KEPT: usize = 8 * 1024;
const KEPT_BEFORE: usize = 1024;

/// What to look for, and where.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// Where to look: a file or folder under `root`, canonical.
    pub(crate) start: std::path::PathBuf,
    /// The session's folder that holds `start`.
    pub(crate) root: std::path::PathBuf,
    /// Built by [`matcher`].
    pub(crate) matcher: RegexMatcher,
    /// What counts before the files on disk.
    pub(crate) texts: Texts,
    /// Only files whose name ends so; empty for all.
    pub(crate) suffixes: Vec<String>,
    /// How many hits to keep, the first in order of path and line.
    pub(crate) keep: usize,
    /// When to stop.
    pub(crate) deadline: Option<Instant>,
}

/// Hears of what is found in a file, as soon as it is.
pub(crate) type See<'a> = dyn Fn(&Path) + Sync + 'a;

/// One line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The line, from 0.
    pub(crate) line: usize,
    /// The first match, from 0 in characters, the end exclusive.
    pub(crate) columns: std::ops::Range<usize>,
    /// The line without its break; of one that no person wrote, what stands around the match.
    pub(crate) text: String,
    /// How many characters of the line stand before `text`.
    pub(crate) skipped: usize,
    /// Whether `text` is only a part of the line.
    pub(crate) is_cut: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The first hits by path, then by line.
    pub(crate) hits: BTreeMap<std::path::PathBuf, Vec<Hit>>,
    /// How many lines match in all.
    pub(crate) total: u64,
    /// How many files were looked into.
    pub(crate) files: u64,
    /// How many files could not be read.
    pub(crate) skipped: u64,
    /// Whether it stopped before the end: the deadline passed, or nobody waits any more.
    pub(crate) stopped: bool,
}

/// Searches, blocking, on several threads; ends soon after `cancelled` becomes true.
pub(crate) fn run(query: &Query, cancelled: &Arc<AtomicBool>) -> Found {
    run_seeing(query, cancelled, &|_| {})
}

/// The same; `see` hears at once of a file in which something is found.
pub(crate) fn run_seeing(query: &Query, cancelled: &Arc<AtomicBool>, see: &See<'_>) -> Found {
    let found = Mutex::new(Progress::default());
    walk::visit(&query.start, &query.root, &|| {
        let mut searchers = Searchers::default();
        let found = &found;
        Box::new(move |path| {
            if is_over(query, cancelled) {
                lock(found).found.stopped = true;
                return false;
            }
            if is_named(path, query) {
                search_file(&mut searchers, query, path, cancelled, (found, see));
            }
            true
        })
    });
    search_unwritten(query, cancelled, &found);
    Progress::ended(found)
}

/// What was found so far.
#[derive(Debug, Default)]
struct Progress {
    found: Found,
    first: First<Hit>,
}

impl Progress {
    fn ended(progress: Mutex<Self>) -> Found {
        let Self { found, first } = progress.into_inner().unwrap_or_else(PoisonError::into_inner);
        Found { hits: first.into_files(), ..found }
    }
}

/// Searches these files alone, which are all of those that may match: what [`run`] finds.
pub(crate) fn run_in(query: &Query, files: &[PathBuf], cancelled: &Arc<AtomicBool>) -> Found {
    let found = Mutex::new(Progress::default());
    let search = |files: &[PathBuf]| {
        let mut searchers = Searchers::default();
        for path in files.iter().filter(|it| is_named(it, query)) {
            if is_over(query, cancelled) {
                lock(&found).found.stopped = true;
                return;
            }
            search_file(&mut searchers, query, path, cancelled, (&found, &|_| {}));
        }
    };
    if files.len() < ALONE {
        search(files);
    } else {
        std::thread::scope(|scope| {
            for some in files.chunks(files.len().div_ceil(threads())) {
                scope.spawn(|| search(some));
            }
        });
    }
    search_unwritten(query, cancelled, &found);
    Progress::ended(found)
}

/// Looks into files that exist in the editor only.
fn search_unwritten(query: &Query, cancelled: &AtomicBool, found: &Mutex<Progress>) {
    let mut searchers = Searchers::default();
    let here = query.texts.keys().filter(|it| it.starts_with(&query.start) && is_named(it, query));
    for path in here.filter(|it| !it.exists()) {
        search_file(&mut searchers, query, path, cancelled, (found, &|_| {}));
    }
}

/// What reads files, with its buffers.
struct Searchers {
    /// Says of lines which they are.
    placing: Searcher,
    counting: Searcher,
}

impl Default for Searchers {
    fn default() -> Self {
        Self { placing: searcher(true), counting: searcher(false) }
    }
}

fn searcher(counts_lines: bool) -> Searcher {
    SearcherBuilder::new()
        .line_number(counts_lines)
        .line_terminator(LineTerminator::crlf())
        .heap_limit(Some(LINE_LIMIT))
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

fn is_over(query: &Query, cancelled: &AtomicBool) -> bool {
    cancelled.load(Ordering::Relaxed) || query.deadline.is_some_and(|it| Instant::now() >= it)
}

fn is_named(path: &Path, query: &Query) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    query.suffixes.is_empty() || query.suffixes.iter().any(|it| name.ends_with(it.as_bytes()))
}

fn search_file(
    searchers: &mut Searchers,
    query: &Query,
    path: &Path,
    cancelled: &AtomicBool,
    (found, see): (&Mutex<Progress>, &See<'_>),
) {
    // Of a file that stands behind enough hits only the lines are counted.
    let keep = if lock(found).first.has_room(path, query.keep) { query.keep } else { 0 };
    let searcher = if keep > 0 { &mut searchers.placing } else { &mut searchers.counting };
    let mut lines =
        Lines { query, cancelled, keep, total: 0, hits: Vec::new(), binary: false, stopped: false };
    let outcome = match query.texts.get(path) {
        Some(text) => searcher.search_slice(&query.matcher, text.as_str().as_bytes(), &mut lines),
        // A link may have taken its place since the walk came to it.
        None => os::open_unlinked(path).and_then(|it| searcher.search_file(&query.matcher, &it, &mut lines)),
    };
    let Lines { total, hits, binary, stopped, .. } = lines;
    if !hits.is_empty() && !binary {
        see(path);
    }
    let Progress { found, first } = &mut *lock(found);
    found.stopped |= stopped;
    match outcome {
        Err(_) => found.skipped += 1,
        Ok(()) if binary => {}
        Ok(()) => {
            found.files += 1;
            found.total += total;
            first.add(path, hits, query.keep);
        }
    }
}

/// Takes in the matching lines of one file.
struct Lines<'a> {
    query: &'a Query,
    cancelled: &'a AtomicBool,
    keep: usize,
    total: u64,
    hits: Vec<Hit>,
    binary: bool,
    stopped: bool,
}

impl Sink for Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.total += 1;
        if self.hits.len() < self.keep {
            self.hits.push(hit(&self.query.matcher, found));
        }
        self.stopped = self.total.is_multiple_of(256) && is_over(self.query, self.cancelled);
        Ok(!self.stopped)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), Self::Error> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

fn hit(matcher: &RegexMatcher, found: &SinkMatch<'_>) -> Hit {
    let bytes = found.bytes();
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    // With the break in sight `$` could match behind it; without the carriage return it could not match before.
    let range = matcher.find(line).ok().flatten().map_or(0..0, |it| it.start()..it.end());
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let width = |end: usize| String::from_utf8_lossy(&line[..end.min(line.len())]).chars().count();
    let kept = kept(line, range.start);
    Hit {
        line: found.line_number().map_or(0, |it| usize::try_from(it - 1).unwrap_or(usize::MAX)),
        columns: width(range.start)..width(range.end),
        text: String::from_utf8_lossy(&line[kept.clone()]).into_owned(),
        skipped: width(kept.start),
        is_cut: kept.len() < line.len(),
    }
}

/// The part of a line that is kept.
fn kept(line: &[u8], at: usize) -> std::ops::Range<usize> {
    if line.len() <= LINE_KEPT {
        return 0..line.len();
    }
    let is_inside_character = |it: &usize| line.get(*it).is_some_and(|byte| byte & 0xc0 == 0x80);
    let boundary = |from: usize| (from..line.len()).find(|it| !is_inside_character(it)).unwrap_or(line.len());
    boundary(at.saturating_sub(KEPT_BEFORE))..boundary(at + LINE_KEPT)
}

#[cfg(test)]
#[path = "line_search_tests.rs"]
mod tests;
