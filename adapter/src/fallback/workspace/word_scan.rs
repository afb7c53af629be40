//! Searches the text of sources for words and definitions, also to verify the answers of servers.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use grep_regex::RegexMatcher;
use ide_protocol::{Column, Line, Point};

use super::buffers::Texts;
use super::line_search;
use super::line_search::{LineMatch, LineMatches, LineQuery};
use super::walk::TreesLeftOut;
use super::word_index::WordIndex;
use crate::fallback::source::languages::{LANGUAGES, Language, language_of, of_file};
use crate::fallback::source::line_pattern;
use crate::fallback::source::names::{Likeness, likeness};
use crate::fallback::source::text::Text;
use unpoisoned::lock;

/// The most lines that are returned; further lines are only counted.
const LINE_LIMIT: usize = 50_000;

/// The folders and texts of a text search.
#[derive(Clone, Debug)]
pub(crate) struct SearchScope {
    /// The folders to search.
    pub(crate) folders: Vec<PathBuf>,
    /// The editor's texts, which replace those on disk.
    pub(crate) texts: Texts,
    /// The index of words, which limits the files to read.
    pub(crate) words: WordIndex,
}

/// Matching lines, from 0, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MatchingLines {
    pub(crate) lines: BTreeMap<PathBuf, BTreeSet<usize>>,
    /// The number of all matching lines.
    pub(crate) total: u64,
    /// `true` if every file was searched.
    pub(crate) complete: bool,
}

/// Returns the lines that may define a name; blocking.
pub(crate) fn definitions(
    language: &Language,
    tree: &SearchScope,
    name: &str,
    until: Instant,
) -> MatchingLines {
    let pattern = language.pattern_for(language.definition, name);
    let matcher = line_pattern::matcher(&pattern);
    lines(language, tree, matcher, Some(name), until)
}

/// Returns the lines that may define any of these names; blocking.
pub(crate) fn definitions_of_any(
    language: &Language,
    tree: &SearchScope,
    names: &[&str],
    until: Instant,
) -> MatchingLines {
    let any: Vec<_> = names.iter().map(|it| regex::escape(it)).collect();
    if any.is_empty() {
        return MatchingLines { complete: true, ..MatchingLines::default() };
    }
    let pattern = language.definition.replace("NAME", &format!("(?:{})", any.join("|")));
    lines(language, tree, line_pattern::matcher(&pattern), None, until)
}

/// Returns the lines that may define a name containing `part`, without case and `_`; blocking.
pub(crate) fn definitions_having(
    language: &Language,
    tree: &SearchScope,
    part: &str,
    until: Instant,
) -> MatchingLines {
    let letters = part.chars().filter(|it| *it != '_').map(|it| regex::escape(&it.to_string()));
    let letter = language.letter();
    let pattern = format!("{letter}*(?i:{}){letter}*", letters.collect::<Vec<_>>().join("_*"));
    let pattern = language.definition.replace("NAME", &pattern);
    lines(language, tree, line_pattern::matcher(&pattern), None, until)
}

/// Returns the lines that certainly define a name, apart from comments and strings; blocking.
pub(crate) fn declarations(
    language: &Language,
    tree: &SearchScope,
    name: &str,
    until: Instant,
) -> MatchingLines {
    let pattern = language.pattern_for(&language.declaration.replace("NAME", r"NAME\b"), name);
    let matcher = line_pattern::matcher(&pattern);
    lines(language, tree, matcher, Some(name), until)
}

/// The time for which results can be reused. A request that waited for a server searches again.
const FRESH: Duration = Duration::from_secs(1);

/// The occurrences of a word in the code of all languages, shared by several steps of a request.
#[derive(Debug)]
pub(crate) struct WordOccurrences {
    word: String,
    /// The time when the search began.
    since: Instant,
    hits: BTreeMap<PathBuf, Vec<LineMatch>>,
    /// `true` if every line is kept: there were not too many, and the time sufficed.
    is_whole: bool,
    /// `true` if every file was searched.
    complete: bool,
}

impl WordOccurrences {
    /// Searches for a word; blocking.
    pub(crate) fn find(tree: &SearchScope, word: &str, until: Instant) -> Self {
        let (since, hits) = (Instant::now(), BTreeMap::new());
        let mut all = Self { word: word.to_owned(), since, hits, is_whole: true, complete: true };
        let Ok(matcher) = line_pattern::whole_word(word) else {
            return Self { is_whole: false, complete: false, ..all };
        };
        let suffixes: Vec<_> =
            LANGUAGES.iter().filter(|it| it.is_code).flat_map(Language::suffixes).collect();
        let prefetch = GrammarPrefetch::default();
        for folder in &tree.folders {
            let query = LineQuery {
                start: folder.clone(),
                root: folder.clone(),
                texts: Texts::clone(&tree.texts),
                matcher: matcher.clone(),
                suffixes: suffixes.clone(),
                keep: LINE_LIMIT,
                deadline: Some(until),
                left_out: TreesLeftOut::default(),
            };
            let found = match tree.files_to_search(&query, word) {
                Some(files) => line_search::run_in(&query, &files, &never_cancelled()),
                None => line_search::run_seeing(&query, &never_cancelled(), &|path| prefetch.see(path)),
            };
            all.is_whole &= !found.stopped && found.total <= LINE_LIMIT as u64;
            all.complete &= !found.stopped && found.skipped == 0;
            all.hits.extend(found.hits);
        }
        all
    }

    /// Returns the languages that mention the word; all languages if lines are missing.
    pub(crate) fn languages(&self) -> Vec<&'static Language> {
        let code = LANGUAGES.iter().filter(|it| it.is_code);
        code.filter(|it| !self.is_whole || self.hits.keys().any(|path| it.owns(path))).collect()
    }

    /// Returns whether a line of the language may define the word.
    pub(crate) fn may_define(&self, language: &Language) -> bool {
        let files = self.candidate_files(language);
        !files.are_all || files.n_likely > 0
    }

    /// Returns whether these are recent occurrences of the name.
    pub(crate) fn is_fresh_for(&self, name: &str) -> bool {
        self.word == name && self.since.elapsed() <= FRESH
    }

    /// Returns the files of a language that may define the word.
    pub(crate) fn candidate_files(&self, language: &Language) -> CandidateFiles {
        let pattern = regex::Regex::new(&language.pattern_for(language.definition, &self.word)).ok();
        // The rest of a cut line is unknown.
        let reads_so =
            |it: &LineMatch| it.is_cut() || pattern.as_ref().is_none_or(|pattern| pattern.is_match(&it.text));
        let here = self.hits.iter().filter(|(path, _)| language.owns(path));
        let (likely, others): (Vec<_>, Vec<_>) = here.partition(|(_, hits)| hits.iter().any(reads_so));
        let n_likely = likely.len();
        let files = likely.into_iter().chain(others).map(|(path, _)| path.clone()).collect();
        CandidateFiles { files, n_likely, are_all: self.is_whole && self.complete }
    }
}

/// The files that mention a name, and so may define it.
#[derive(Debug)]
pub(crate) struct CandidateFiles {
    /// The files; those with a line that looks like a definition come first.
    pub(crate) files: Vec<PathBuf>,
    /// The number of files with such a line.
    pub(crate) n_likely: usize,
    /// `true` if no other file mentions the name.
    pub(crate) are_all: bool,
}

/// Returns the points where a text seems to declare a name.
pub(crate) fn declared_in(language: &Language, text: &Text, name: &str) -> Vec<Point> {
    let pattern = language.declaration.replace("NAME", r"(?<name>NAME)\b");
    let pattern = language.pattern_for(&pattern, name);
    let Ok(pattern) = regex::Regex::new(&pattern) else { return Vec::new() };
    let lines = (0..text.line_count()).filter_map(|line| Some((line, text.line(line)?)));
    let found = lines.filter_map(|(line, code)| {
        let at = pattern.captures(code)?.name("name")?.start();
        let column = code[..at].chars().count();
        Some(Point { line: Line::from_index(line), column: Column::from_index(column) })
    });
    found.collect()
}

/// Returns similar names that the sources seem to define, by file; blocking.
pub(crate) fn declared_like(
    language: &Language,
    tree: &SearchScope,
    asked: &str,
    until: Instant,
) -> BTreeMap<(PathBuf, String), Likeness> {
    let letter = language.letter();
    let letters: String = asked
        .chars()
        .filter(|it| *it != '_')
        .map(|it| format!("{}{letter}*", regex::escape(&it.to_string())))
        .collect();
    let pattern = language.declaration.replace("NAME", &format!(r"(?<name>(?i:{letter}*{letters}))\b"));
    let (Ok(matcher), Ok(capture)) = (line_pattern::matcher(&pattern), regex::Regex::new(&pattern)) else {
        return BTreeMap::new();
    };
    let mut names = BTreeMap::new();
    for folder in &tree.folders {
        let found = line_search::run(&query(language, tree, folder, &matcher, until), &never_cancelled());
        for (path, hits) in found.hits.into_iter().filter(|(path, _)| language.owns(path)) {
            let written = hits.iter().flat_map(|hit| capture.captures_iter(&hit.text));
            let written = written.filter_map(|it| Some(it.name("name")?.as_str().to_owned()));
            names.extend(written.filter_map(|it| Some(((path.clone(), it.clone()), likeness(asked, &it)?))));
        }
    }
    names
}

/// Counts the lines of a text that look like definitions.
pub(crate) fn count_declarations(language: &Language, text: &Text) -> usize {
    let pattern = language.declaration.replace("NAME", &format!(r"[A-Za-z_{}]\w*", language.letters));
    let Ok(pattern) = regex::Regex::new(&pattern) else { return 0 };
    (0..text.line_count()).filter_map(|line| text.line(line)).filter(|it| pattern.is_match(it)).count()
}

/// Returns the lines that give `name` as an alias, as imports do; blocking.
pub(crate) fn aliases(language: &Language, tree: &SearchScope, name: &str, until: Instant) -> MatchingLines {
    let pattern = language.pattern_for(r"[\w*]\s+as\s+NAME\b", name);
    let matcher = line_pattern::matcher(&pattern);
    lines(language, tree, matcher, Some(name), until)
}

/// Returns the lines that contain a word; blocking.
pub(crate) fn mentions(language: &Language, tree: &SearchScope, word: &str, until: Instant) -> MatchingLines {
    word_lines(language, tree, word, Some(word), until)
}

/// The endings of files that are prose or data, which nobody makes code of.
const PROSE: &[&str] = &["adoc", "csv", "lock", "log", "rst", "svg", "txt"];

/// Returns `true` if a file in none of the known languages, such as a template or a grammar, contains a word, or if
/// not every file could be searched; blocking.
pub(crate) fn is_in_template(_: &Language, tree: &SearchScope, word: &str, until: Instant) -> bool {
    let Ok(matcher) = line_pattern::whole_word(word) else { return true };
    let is_template = |path: &PathBuf| {
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_lowercase();
        let is_known = of_file(path).is_some_and(|it| !it.is_template);
        !is_known && !ending.is_empty() && !PROSE.contains(&ending.as_str())
    };
    tree.folders.iter().any(|folder| {
        let query = LineQuery {
            start: folder.clone(),
            root: folder.clone(),
            texts: Texts::clone(&tree.texts),
            matcher: matcher.clone(),
            suffixes: Vec::new(),
            keep: LINE_LIMIT,
            deadline: Some(until),
            left_out: TreesLeftOut::default(),
        };
        let found = line_search::run(&query, &never_cancelled());
        found.stopped || found.hits.keys().any(is_template)
    })
}

/// Returns the lines that contain a word from the files themselves, without the index; blocking.
pub(crate) fn mentions_without_index(
    language: &Language,
    tree: &SearchScope,
    word: &str,
    until: Instant,
) -> MatchingLines {
    word_lines(language, tree, word, None, until)
}

/// Returns every name that some line declares; blocking.
pub(crate) fn declared_names(language: &Language, tree: &SearchScope, until: Instant) -> BTreeSet<String> {
    let letter = language.letter();
    let any =
        language.declaration.replace("NAME", &format!(r"([\p{{Alphabetic}}_{}]{letter}+)", language.letters));
    let pattern = line_pattern::matcher(&any).ok();
    let capture = regex::Regex::new(&any).ok();
    let (Some(matcher), Some(capture)) = (pattern, capture) else { return BTreeSet::new() };
    let mut names = BTreeSet::new();
    for found in tree
        .folders
        .iter()
        .map(|folder| line_search::run(&query(language, tree, folder, &matcher, until), &never_cancelled()))
    {
        for hit in found.hits.values().flatten() {
            names.extend(
                capture.captures_iter(&hit.text).filter_map(|it| Some(it.get(1)?.as_str().to_owned())),
            );
        }
    }
    names
}

/// Returns the lines that contain a word, also where the language has more letters than a pattern for words. `indexed`
/// is as for [`lines`].
fn word_lines(
    language: &Language,
    tree: &SearchScope,
    word: &str,
    indexed: Option<&str>,
    until: Instant,
) -> MatchingLines {
    // A pattern with these letters would take milliseconds to compile.
    let is_whole =
        |it: &LineMatch| language.letters.is_empty() || it.is_cut() || language.has_whole(&it.text, word);
    lines_where(language, tree, line_pattern::whole_word(word), indexed, until, is_whole)
}

/// Returns the lines that match. `word`, if given, occurs in each of them and limits the files through the
/// index.
fn lines(
    language: &Language,
    tree: &SearchScope,
    matcher: Result<RegexMatcher, grep_regex::Error>,
    word: Option<&str>,
    until: Instant,
) -> MatchingLines {
    lines_where(language, tree, matcher, word, until, |_| true)
}

/// Returns those of the lines that also satisfy `is_meant`.
fn lines_where(
    language: &Language,
    tree: &SearchScope,
    matcher: Result<RegexMatcher, grep_regex::Error>,
    word: Option<&str>,
    until: Instant,
    is_meant: impl Fn(&LineMatch) -> bool,
) -> MatchingLines {
    // A pattern that is too large finds nothing, and the result stays incomplete.
    let Ok(matcher) = matcher else { return MatchingLines::default() };
    let mut all = MatchingLines { complete: true, ..MatchingLines::default() };
    for folder in &tree.folders {
        let found = find(&query(language, tree, folder, &matcher, until), tree, word);
        all.total += found.total;
        all.complete &= !found.stopped && found.skipped == 0;
        for (path, hits) in found.hits.into_iter().filter(|(path, _)| language.owns(path)) {
            let n_hits = hits.len();
            let lines: BTreeSet<_> = hits.iter().filter(|it| is_meant(it)).map(|it| it.line).collect();
            all.total -= (n_hits - lines.len()) as u64;
            if !lines.is_empty() {
                all.lines.insert(path, lines);
            }
        }
    }
    all
}

/// Searches the files that may contain the word, or all files if that is unknown.
fn find(query: &LineQuery, tree: &SearchScope, word: Option<&str>) -> LineMatches {
    match word.and_then(|it| tree.files_to_search(query, it)) {
        Some(files) => line_search::run_in(query, &files, &never_cancelled()),
        None => line_search::run(query, &never_cancelled()),
    }
}

impl SearchScope {
    /// Returns the files that may contain a word, if the index knows.
    fn files_to_search(&self, query: &LineQuery, word: &str) -> Option<Vec<PathBuf>> {
        let is_of_code = |it: &String| LANGUAGES.iter().any(|row| row.is_code && row.suffixes().contains(it));
        let is_kept = !query.suffixes.is_empty() && query.suffixes.iter().all(is_of_code);
        if is_kept { self.words.files_with(&query.start, word, &query.texts) } else { None }
    }
}

/// Loads the grammars of the first matching files while the search goes on.
#[derive(Default)]
struct GrammarPrefetch(Mutex<HashSet<&'static str>>);

impl GrammarPrefetch {
    fn see(&self, path: &Path) {
        let Some(syntax) = language_of(path) else { return };
        if lock(&self.0).insert(syntax.id()) {
            // Without a thread the grammar is loaded when it is needed.
            let _ = thread::Builder::new().spawn(move || syntax.prepare());
        }
    }
}

fn query(
    language: &Language,
    tree: &SearchScope,
    folder: &Path,
    matcher: &RegexMatcher,
    until: Instant,
) -> LineQuery {
    LineQuery {
        start: folder.to_owned(),
        root: folder.to_owned(),
        texts: Texts::clone(&tree.texts),
        matcher: matcher.clone(),
        suffixes: language.suffixes(),
        keep: LINE_LIMIT,
        deadline: Some(until),
        left_out: TreesLeftOut::default(),
    }
}

/// Returns a flag that is never set: these searches are short and end at their deadline.
fn never_cancelled() -> Arc<AtomicBool> {
    Arc::default()
}

/// Returns up to eight names closest to a missing one, the closest first.
pub(crate) fn nearest(name: &str, names: impl IntoIterator<Item = String>) -> Vec<String> {
    let folded = fold(name);
    let budget = (name.chars().count() / 3).max(2);
    let mut near: Vec<_> = names
        .into_iter()
        .filter_map(|it| {
            let other = fold(&it);
            let holds = folded.len() >= 3
                && (other.contains(&folded) || (other.len() >= 4 && folded.contains(&other)));
            let distance = strsim::damerau_levenshtein(&folded, &other);
            (distance <= budget || holds).then_some(((distance > budget, distance), it))
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().map(|(_, it)| it).take(8).collect()
}

fn fold(name: &str) -> String {
    name.to_lowercase().replace('_', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        let names = ["User", "UserSession", "Usher", "validate_token", "Other", "Use"].map(str::to_owned);
        assert_eq!(nearest("Usre", names.clone()), ["Use", "User", "Usher"]);
        assert_eq!(nearest("validateToken", names.clone()), ["validate_token"]);
        assert_eq!(nearest("session", names), ["UserSession"]);
    }
}
