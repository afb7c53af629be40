//! Searches lines with ripgrep's crates: bounded in memory, in order of path and line.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use grep_matcher::{Captures, LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use source_text::feed_lone_returns;

use super::buffers::Texts;
use super::walk;
use super::walk::TreesLeftOut;
use crate::fallback::source::parallel::threads;
use crate::fallback::source::text::{self, Utf16};
use crate::fallback::source::top_matches::TopMatches;
use crate::os;
use unpoisoned::lock;

/// The longest line that is searched; a file with a longer one is skipped.
pub(crate) const LINE_LIMIT: usize = 32 * 1024 * 1024;

/// The number of files from which on several threads are used.
const ALONE: usize = 32;

/// The longest text of a match in bytes, and the part of it before the match. Generated files with long lines
/// would otherwise fill the memory. It holds the most characters that an answer has of a line.
pub(crate) const LINE_KEPT: usize = 4 * text::WIDTH;
const KEPT_BEFORE: usize = text::WIDTH;

/// A query for matching lines.
#[derive(Clone, Debug)]
pub(crate) struct LineQuery {
    /// The file or folder to search, canonical, under `root`.
    pub(crate) start: std::path::PathBuf,
    /// The session's folder that contains `start`.
    pub(crate) root: std::path::PathBuf,
    /// The pattern, compiled by [`matcher`](crate::fallback::source::line_pattern::matcher).
    pub(crate) matcher: RegexMatcher,
    /// The editor's texts, which replace those on disk.
    pub(crate) texts: Texts,
    /// The endings of file names to search; empty for all.
    pub(crate) suffixes: Vec<String>,
    /// The most matches to keep, the first in order of path and line.
    pub(crate) keep: usize,
    /// The time when the search stops.
    pub(crate) deadline: Option<Instant>,
    /// The record of the other trees that are left out.
    pub(crate) left_out: TreesLeftOut,
}

/// A callback for each file with a match, during the search.
pub(crate) type OnMatchingFile<'a> = dyn Fn(&Path) + Sync + 'a;

/// One matching line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineMatch {
    /// The line, from 0.
    pub(crate) line: usize,
    /// The columns of the first match, from 0 in characters, the end exclusive.
    pub(crate) columns: std::ops::Range<usize>,
    /// The line without its break; of an overlong line, the part around the match.
    pub(crate) text: String,
    /// The number of characters of the line before `text`.
    pub(crate) skipped: usize,
    /// The number of characters of the line behind `text`.
    pub(crate) behind: usize,
    /// The text of each group of the pattern; empty for one that took no part.
    pub(crate) groups: Vec<String>,
}

impl LineMatch {
    /// Returns `true` if `text` is only a part of the line.
    pub(crate) fn is_cut(&self) -> bool {
        self.skipped + self.behind > 0
    }
}

/// The matching lines of a search.
#[derive(Debug, Default)]
pub(crate) struct LineMatches {
    /// The first matches by path, then by line.
    pub(crate) hits: BTreeMap<std::path::PathBuf, Vec<LineMatch>>,
    /// The number of all matching lines.
    pub(crate) total: u64,
    /// The number of files searched.
    pub(crate) files: u64,
    /// The number of files that could not be read.
    pub(crate) skipped: u64,
    /// `true` if the search stopped early, at the deadline or because it was cancelled.
    pub(crate) stopped: bool,
}

/// Searches on several threads; blocking. It stops soon after `cancelled` becomes true.
pub(crate) fn run(query: &LineQuery, cancelled: &Arc<AtomicBool>) -> LineMatches {
    run_seeing(query, cancelled, &|_| {})
}

/// Searches as [`run`], and calls `see` for each file with a match.
pub(crate) fn run_seeing(
    query: &LineQuery,
    cancelled: &Arc<AtomicBool>,
    see: &OnMatchingFile<'_>,
) -> LineMatches {
    let found = Mutex::new(Progress::default());
    walk::visit(&query.start, &query.root, &query.left_out, &|| {
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
    Progress::ended(found, &query.matcher)
}

/// The intermediate result of a search.
#[derive(Debug, Default)]
struct Progress {
    found: LineMatches,
    first: TopMatches<FoundLine>,
}

impl Progress {
    fn ended(progress: Mutex<Self>, matcher: &RegexMatcher) -> LineMatches {
        let Self { found, first } = unpoisoned::into_inner(progress);
        let read = |lines: Vec<FoundLine>| lines.into_iter().map(|it| it.read(matcher)).collect();
        let hits = first.into_files().into_iter().map(|(path, lines)| (path, read(lines)));
        LineMatches { hits: hits.collect(), ..found }
    }
}

/// Searches only these files, which must include all that can match.
pub(crate) fn run_in(query: &LineQuery, files: &[PathBuf], cancelled: &Arc<AtomicBool>) -> LineMatches {
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
    Progress::ended(found, &query.matcher)
}

/// Searches files that exist only in the editor.
fn search_unwritten(query: &LineQuery, cancelled: &AtomicBool, found: &Mutex<Progress>) {
    let mut searchers = Searchers::default();
    let here = query.texts.keys().filter(|it| it.starts_with(&query.start) && is_named(it, query));
    for path in here.filter(|it| !it.exists()) {
        search_file(&mut searchers, query, path, cancelled, (found, &|_| {}));
    }
}

/// The searchers of one thread, with their buffers.
struct Searchers {
    /// The searcher that counts lines, which is slower.
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

fn is_over(query: &LineQuery, cancelled: &AtomicBool) -> bool {
    cancelled.load(Ordering::Relaxed) || query.deadline.is_some_and(|it| Instant::now() >= it)
}

fn is_named(path: &Path, query: &LineQuery) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    query.suffixes.is_empty() || query.suffixes.iter().any(|it| path.ends_with(it.as_bytes()))
}

fn search_file(
    searchers: &mut Searchers,
    query: &LineQuery,
    path: &Path,
    cancelled: &AtomicBool,
    (found, see): (&Mutex<Progress>, &OnMatchingFile<'_>),
) {
    // A file after enough matches is only counted.
    let keep = if lock(found).first.has_room(path, query.keep) { query.keep } else { 0 };
    let sink = || LineSink {
        query,
        cancelled,
        keep,
        total: 0,
        hits: Vec::new(),
        feeds: Some(FeedCount::default()),
        is_unplaced: false,
        binary: false,
        stopped: false,
    };
    // Most files have no match, so lines are not counted before there is one.
    let mut lines = sink();
    let mut outcome = read_lines(&mut searchers.counting, path, &mut lines);
    if lines.is_unplaced && outcome.is_ok() {
        lines = LineSink { feeds: None, ..sink() };
        outcome = read_lines(&mut searchers.placing, path, &mut lines);
    }
    let LineSink { total, hits, binary, stopped, .. } = lines;
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

/// Searches the editor's text of a file, or the one on disk.
fn read_lines(searcher: &mut Searcher, path: &Path, lines: &mut LineSink<'_>) -> io::Result<()> {
    let query = lines.query;
    match query.texts.get(path) {
        Some(text) => searcher.search_slice(&query.matcher, text.with_feeds().as_bytes(), lines),
        // A link may have replaced the file since the walk.
        None => os::open_unlinked(path).and_then(|it| {
            let feeds = Feeds { file: it, ahead: None, has_begun: false, is_utf16: false };
            searcher.search_reader(&query.matcher, feeds, lines)
        }),
    }
}

/// A reader that gives a line feed for each lone carriage return: the searcher ends lines only at line feeds.
struct Feeds<F> {
    file: F,
    /// The byte that was read to judge the one before it.
    ahead: Option<u8>,
    has_begun: bool,
    /// `true` if bytes are no characters of their own; the searcher decodes them.
    is_utf16: bool,
}

impl<F: Read> Read for Feeds<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(first) = into.first_mut() else { return Ok(0) };
        let mut count = 0;
        if let Some(byte) = self.ahead.take() {
            (*first, count) = (byte, 1);
        }
        if count < into.len() {
            count += self.file.read(&mut into[count..])?;
        }
        let read = &mut into[..count];
        if !self.has_begun {
            (self.has_begun, self.is_utf16) = (true, Utf16::detect(read).is_some());
        }
        if !self.is_utf16 {
            if read.last() == Some(&b'\r') {
                let mut next = Vec::with_capacity(1);
                self.file.by_ref().take(1).read_to_end(&mut next)?;
                self.ahead = next.pop();
            }
            feed_lone_returns(read, self.ahead);
        }
        Ok(count)
    }
}

/// A sink for the matching lines of one file.
struct LineSink<'a> {
    query: &'a LineQuery,
    cancelled: &'a AtomicBool,
    keep: usize,
    total: u64,
    hits: Vec<FoundLine>,
    /// The line feeds before the last hit; `None` if the searcher counts lines.
    feeds: Option<FeedCount>,
    /// `true` once a line that is to be kept is too far in the file for its number to be known here; the search ends.
    is_unplaced: bool,
    binary: bool,
    stopped: bool,
}

/// The number of line feeds in the beginning of a file, as long as the searcher still has that beginning.
#[derive(Debug, Default)]
struct FeedCount {
    feeds: usize,
    end: usize,
}

impl FeedCount {
    /// Returns the line of a match, from 0; `None` if what is before it has left the searcher's buffer.
    fn line(&mut self, found: &SinkMatch<'_>) -> Option<usize> {
        let start = found.bytes_range_in_buffer().start;
        if found.absolute_byte_offset() != start as u64 {
            return None;
        }
        self.feeds += memchr::memchr_iter(b'\n', &found.buffer()[self.end..start]).count();
        self.end = start;
        Some(self.feeds)
    }
}

impl LineSink<'_> {
    /// Returns the line of a match, from 0; `None` if it is not known.
    fn line(&mut self, found: &SinkMatch<'_>) -> Option<usize> {
        match &mut self.feeds {
            Some(feeds) => feeds.line(found),
            None => found.line_number().map(|it| usize::try_from(it - 1).unwrap_or(usize::MAX)),
        }
    }
}

impl Sink for LineSink<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.total += 1;
        if self.hits.len() < self.keep {
            let Some(line) = self.line(found) else {
                self.is_unplaced = true;
                return Ok(false);
            };
            self.hits.push(FoundLine::new(&self.query.matcher, line, found.bytes()));
        }
        self.stopped = self.total.is_multiple_of(256) && is_over(self.query, self.cancelled);
        Ok(!self.stopped)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), Self::Error> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A matching line. Until the walk ends, later files may take the place of most, so that a line is only copied and its
/// match sought at the end. Of an overlong line that would fill the memory, the part around the match is kept.
#[derive(Debug)]
enum FoundLine {
    Copied { line: usize, bytes: Vec<u8> },
    Read(LineMatch),
}

impl FoundLine {
    fn new(matcher: &RegexMatcher, line: usize, bytes: &[u8]) -> Self {
        match bytes.len() <= LINE_KEPT {
            true => Self::Copied { line, bytes: bytes.to_vec() },
            false => Self::Read(hit(matcher, line, bytes)),
        }
    }

    fn read(self, matcher: &RegexMatcher) -> LineMatch {
        match self {
            Self::Copied { line, bytes } => hit(matcher, line, &bytes),
            Self::Read(found) => found,
        }
    }
}

fn hit(matcher: &RegexMatcher, number: usize, bytes: &[u8]) -> LineMatch {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    // With the line feed, `$` could match after it; without the carriage return, it could not match before
    // it.
    let range = matcher.find(line).ok().flatten().map_or(0..0, |it| it.start()..it.end());
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let width = |end: usize| String::from_utf8_lossy(&line[..end.min(line.len())]).chars().count();
    let kept = kept(line, range.start);
    LineMatch {
        line: number,
        columns: width(range.start)..width(range.end),
        skipped: width(kept.start),
        behind: String::from_utf8_lossy(&line[kept.end..]).chars().count(),
        text: String::from_utf8_lossy(&line[kept]).into_owned(),
        groups: groups(matcher, bytes.strip_suffix(b"\n").unwrap_or(bytes)),
    }
}

/// Returns the text of each group of the first match in a line.
fn groups(matcher: &RegexMatcher, line: &[u8]) -> Vec<String> {
    if matcher.capture_count() < 2 {
        return Vec::new();
    }
    let Ok(mut captures) = matcher.new_captures() else { return Vec::new() };
    if !matcher.captures(line, &mut captures).unwrap_or(false) {
        return Vec::new();
    }
    let group = |index| {
        let bytes = captures.get(index).map_or(&line[..0], |it| &line[it.start()..it.end()]);
        excerpt(&String::from_utf8_lossy(bytes))
    };
    (1..captures.len()).map(group).collect()
}

/// Cuts the text of a group as that of a line.
fn excerpt(group: &str) -> String {
    match group.char_indices().nth(text::WIDTH) {
        Some((end, _)) => format!("{}…+{}", &group[..end], group[end..].chars().count()),
        None => group.to_owned(),
    }
}

/// Returns the range of a line that is kept.
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
