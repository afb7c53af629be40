//! Searches files for lines that match a regular expression.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ide_protocol::{
    Column, Completeness, ErrorCode, FileRange, IdeError, Line, Operation, Point, Reason, SearchQuestion,
    SearchResult, Source,
};

use super::handler::{Call, Handler};
use super::hit_context::{FileHits, add_context};
use crate::fallback::session::completeness::Qualified;
use crate::fallback::source::line_pattern;
use crate::fallback::source::text::excerpt_of_part;
use crate::fallback::workspace::line_search::{LineMatch, LineMatches, LineQuery};
use crate::fallback::workspace::session_folders::{SessionFolders, SessionPath};
use crate::fallback::workspace::{line_search, walk};

/// The maximum number of hits in one result.
pub(crate) const HIT_LIMIT: usize = 1000;

/// The maximum size of a compiled pattern in bytes, as in `grep_regex`.
const PATTERN_SIZE: usize = 100 * 1024 * 1024;

pub(crate) struct Search;

impl Handler for Search {
    const OPERATION: Operation = Operation::Search;
    type Question = SearchQuestion;

    async fn answer(call: &Call, question: SearchQuestion) -> Result<SearchResult, IdeError> {
        call.walk(move |roots, deadline, cancelled| answer(roots, &question, deadline, cancelled)).await
    }
}

fn answer(
    roots: &SessionFolders,
    request: &SearchQuestion,
    deadline: Instant,
    cancelled: &Arc<AtomicBool>,
) -> Result<SearchResult, IdeError> {
    let matcher =
        line_pattern::matcher(&request.pattern).map_err(|error| bad_pattern(&request.pattern, &error))?;
    let suffixes: Vec<_> = request.extension.as_deref().and_then(suffix).into_iter().collect();
    let mut sum = Sum::default();
    let places = starts(roots, &request.path)?;
    for place in places.clone() {
        let query = LineQuery {
            root: root_of(roots, &place.path),
            start: place.path.clone(),
            texts: roots.texts(),
            matcher: matcher.clone(),
            suffixes: suffixes.clone(),
            keep: HIT_LIMIT,
            deadline: Some(deadline),
            left_out: roots.left_out().clone(),
        };
        sum.add(roots, &place, line_search::run(&query, cancelled));
    }
    let (suffix, groups) = (suffixes.first().map(String::as_str), group_names(&request.pattern));
    let result = sum.result(roots, request, suffix, &groups, deadline);
    Ok(result.noting(left_out(roots, &places)))
}

/// Returns the name of each group of a pattern; `None` for one without a name. It is empty if none has a name, which
/// saves compiling the pattern once more.
fn group_names(pattern: &str) -> Vec<Option<String>> {
    if !pattern.contains("(?<") && !pattern.contains("(?P<") {
        return Vec::new();
    }
    let pattern = regex::RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).build().ok();
    let names = pattern.iter().flat_map(regex::Regex::capture_names).skip(1);
    names.map(|name| name.map(str::to_owned)).collect()
}

/// Converts an extension to a file name suffix: `rs`, `.rs` and `*.rs` all mean `.rs`.
fn suffix(extension: &str) -> Option<String> {
    let bare = extension.trim().trim_start_matches('*').trim_start_matches('.');
    (!bare.is_empty()).then(|| format!(".{bare}"))
}

/// Returns the places to search: `.` means every folder of the session.
pub(crate) fn starts(roots: &SessionFolders, path: &str) -> Result<Vec<SessionPath>, IdeError> {
    if matches!(path, "." | "./") {
        // A missing folder has no hits either; report it instead of "no hits".
        if let Some(gone) = roots.missing_folders_error() {
            return Err(gone);
        }
        return Ok(walk::outermost(roots.folders()).map(|it| roots.place(it.clone())).collect());
    }
    roots.resolve(path).map(|place| vec![place])
}

/// Returns the remarks on other trees that a walk of these places left out.
pub(crate) fn left_out(roots: &SessionFolders, places: &[SessionPath]) -> Vec<Reason> {
    places.iter().filter_map(|it| roots.left_out_remark(&it.path, false)).collect()
}

pub(crate) fn root_of(roots: &SessionFolders, path: &Path) -> PathBuf {
    let root = roots.folders().iter().find(|root| path.starts_with(root));
    root.map_or_else(|| path.to_owned(), Clone::clone)
}

/// The accumulated hits of all starting places.
#[derive(Debug, Default)]
struct Sum {
    hits: BTreeMap<String, (PathBuf, bool, Vec<LineMatch>)>,
    total: u64,
    files: u64,
    skipped: u64,
    stopped: bool,
}

impl Sum {
    fn add(&mut self, roots: &SessionFolders, start: &SessionPath, found: LineMatches) {
        self.total += found.total;
        self.files += found.files;
        self.skipped += found.skipped;
        self.stopped |= found.stopped;
        for (path, hits) in found.hits {
            let place = roots.place_in_walk(start, path);
            self.hits.insert(place.spelling, (place.path, place.external, hits));
        }
    }

    fn result(
        self,
        roots: &SessionFolders,
        request: &SearchQuestion,
        suffix: Option<&str>,
        groups: &[Option<String>],
        deadline: Instant,
    ) -> SearchResult {
        let reason = self.reason(roots, request, suffix);
        let (mut found, mut paths) = (Vec::<FileRange>::new(), Vec::new());
        for (spelling, (path, external, hits)) in self.hits {
            let room = HIT_LIMIT - found.len();
            found.extend(hits.iter().take(room).map(|it| range(&spelling, external, it, groups)));
            paths.push(path);
        }
        let asked = request.context.map_or(HIT_LIMIT, |it| usize::try_from(it).unwrap_or(HIT_LIMIT));
        let with_context = (asked < found.len()).then_some(asked as u64);
        let end = asked.min(found.len());
        let by_file = found[..end].chunk_by_mut(|a, b| a.path == b.path);
        let files = paths.into_iter().zip(by_file).map(|(path, hits)| FileHits { path, hits }).collect();
        let reasons = reason.into_iter().chain(add_context(roots, files, deadline));
        let completeness = Completeness::with(Source("text".into()), reasons);
        SearchResult { completeness, total: self.total, hits: found, with_context }
    }

    /// Returns the reason why hits may be missing, or why there are none.
    fn reason(
        &self,
        roots: &SessionFolders,
        request: &SearchQuestion,
        suffix: Option<&str>,
    ) -> Option<Reason> {
        if self.stopped {
            return Some(Reason::TimeUp { files: self.files });
        }
        if self.skipped > 0 {
            return Some(Reason::SomeNotRead { files: self.skipped });
        }
        if self.total > HIT_LIMIT as u64 {
            return Some(Reason::HitsCut { shown: HIT_LIMIT, total: self.total });
        }
        (self.files == 0).then(|| nothing_searched(roots, request, suffix))
    }
}

/// Explains why no file was searched, so that "no hits" is not read as "no such code".
fn nothing_searched(roots: &SessionFolders, request: &SearchQuestion, suffix: Option<&str>) -> Reason {
    let path = request.path.clone();
    let extensions = extensions(roots, &path);
    match suffix {
        Some(extension) if !extensions.is_empty() => {
            Reason::NoSuchExtension { path, extension: extension.to_owned(), extensions }
        }
        _ => Reason::NothingSearched { path },
    }
}

/// Returns the file extensions found at a path, the most common first.
fn extensions(roots: &SessionFolders, path: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for place in starts(roots, path).unwrap_or_default() {
        let files = walk::builder(&place.path, &root_of(roots, &place.path)).build();
        for entry in files.filter_map(Result::ok).take(walk::ENTRY_LIMIT) {
            let is_file = entry.file_type().is_some_and(|it| it.is_file());
            if let Some(extension) = entry.path().extension().filter(|_| is_file) {
                *counts.entry(format!(".{}", extension.to_string_lossy())).or_default() += 1;
            }
        }
    }
    let mut kinds: Vec<_> = counts.into_iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kinds.into_iter().map(|(kind, _)| kind).take(6).collect()
}

/// Pairs names with texts. A group without a name is only a bracket.
fn named_groups(names: &[Option<String>], texts: &[String]) -> BTreeMap<String, String> {
    let pair = |(name, text): (&Option<String>, &String)| Some((name.clone()?, text.clone()));
    names.iter().zip(texts).filter_map(pair).collect()
}

fn range(path: &str, external: bool, hit: &LineMatch, groups: &[Option<String>]) -> FileRange {
    let point = |column| Point { line: Line::from_index(hit.line), column: Column::from_index(column) };
    FileRange {
        text: Some(excerpt_of_part(&hit.text, hit.columns.start - hit.skipped, hit.skipped, hit.behind)),
        external,
        groups: named_groups(groups, &hit.groups),
        ..FileRange::new(path, point(hit.columns.start), point(hit.columns.end))
    }
}

/// Returns an error that locates the fault in the pattern and suggests a correction.
fn bad_pattern(pattern: &str, error: &grep_regex::Error) -> IdeError {
    if let grep_regex::ErrorKind::NotAllowed(_) = error.kind() {
        let message = format!("the pattern `{pattern}` spans lines, but each line is matched by itself");
        return IdeError::new(ErrorCode::InvalidRequest, message)
            .recovery("Search for one of the lines; `lines` shows what stands around a hit.");
    }
    let (place, cause) = match regex_syntax::ast::parse::Parser::new().parse(pattern) {
        Err(error) => (Some(error.span().start.column), error.kind().to_string()),
        Ok(_) => (None, error.to_string()),
    };
    let place = place.map_or(String::new(), |it| format!(" at character {it}"));
    let message = format!("the pattern `{pattern}` is no regular expression{place}: {cause}");
    IdeError::new(ErrorCode::InvalidRequest, message).recovery(advice(pattern, &cause))
}

fn advice(pattern: &str, cause: &str) -> String {
    if cause.contains("look-around") {
        return "Look-ahead and look-behind are not supported: search for the plain part and filter the hits.".into();
    }
    if cause.contains("backreferences") {
        return "Backreferences are not supported: search for the plain part and filter the hits.".into();
    }
    format!("To search for this very text, escape it: `{}`", regex::escape(pattern))
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
