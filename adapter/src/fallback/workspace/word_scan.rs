//! The textual tier: what the words of the sources say, to check what a server says against it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use grep_regex::RegexMatcher;
use ide_protocol::{Column, Line, Point};

use super::buffers::Texts;
use super::line_search;
use super::line_search::{Found, Hit, Query};
use super::word_index::Lexicon;
use crate::fallback::source::languages::{LANGUAGES, Language, language_of};
use crate::fallback::source::line_pattern;
use crate::fallback::source::names::{Likeness, likeness};
use crate::fallback::source::text::Text;
use crate::lock::lock;

/// How many lines are looked at one by one; beyond, they are only counted.
const LINE_LIMIT: usize = 50_000;

/// The files that are looked into.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// The folders that hold them.
    pub(crate) folders: Vec<PathBuf>,
    /// What counts before what is on disk.
    pub(crate) texts: Texts,
    /// Which files may hold a word, where that is known.
    pub(crate) lexicon: Lexicon,
}

/// Lines that hold a word, from 0, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) lines: BTreeMap<PathBuf, BTreeSet<usize>>,
    /// How many there are in all.
    pub(crate) total: u64,
    /// Whether every file was looked at.
    pub(crate) complete: bool,
}

/// The lines that may define a name; blocking.
pub(crate) fn definitions(language: &Language, tree: &Tree, name: &str, until: Instant) -> Lines {
    let pattern = language.naming(language.definition, name);
    let matcher = line_pattern::matcher(&pattern);
    matcher.map(|it| lines(language, tree, &it, Some(name), until)).unwrap_or_default()
}

/// The lines that may define any of these names; blocking.
pub(crate) fn definitions_of_any(language: &Language, tree: &Tree, names: &[&str], until: Instant) -> Lines {
    let any: Vec<_> = names.iter().map(|it| regex::escape(it)).collect();
    if any.is_empty() {
        return Lines { complete: true, ..Lines::default() };
    }
    let pattern = language.definition.replace("NAME", &format!("(?:{})", any.join("|")));
    line_pattern::matcher(&pattern).map(|it| lines(language, tree, &it, None, until)).unwrap_or_default()
}

/// The lines that may define a name that has this in it, but for case and `_`; blocking.
pub(crate) fn definitions_having(language: &Language, tree: &Tree, part: &str, until: Instant) -> Lines {
    let letters = part.chars().filter(|it| *it != '_').map(|it| regex::escape(&it.to_string()));
    let letter = language.letter();
    let pattern = format!("{letter}*(?i:{}){letter}*", letters.collect::<Vec<_>>().join("_*"));
    let pattern = language.definition.replace("NAME", &pattern);
    line_pattern::matcher(&pattern).map(|it| lines(language, tree, &it, None, until)).unwrap_or_default()
}

/// The lines that read as a definition of a name beyond doubt, comments and strings aside; blocking.
pub(crate) fn declarations(language: &Language, tree: &Tree, name: &str, until: Instant) -> Lines {
    let pattern = language.naming(&language.declaration.replace("NAME", r"NAME\b"), name);
    let matcher = line_pattern::matcher(&pattern);
    matcher.map(|it| lines(language, tree, &it, Some(name), until)).unwrap_or_default()
}

/// For how long what was found counts: whoever waited for a server in between looks again.
const FRESH: Duration = Duration::from_secs(1);

/// Where a word stands in files of code, whatever their language: what several questions about it start from.
#[derive(Debug)]
pub(crate) struct Mentions {
    word: String,
    /// When it was begun to look.
    since: Instant,
    hits: BTreeMap<PathBuf, Vec<Hit>>,
    /// Whether every line is kept: else there are too many, or the time was up.
    is_whole: bool,
    /// Whether every file was looked at.
    complete: bool,
}

impl Mentions {
    /// Looks; blocking.
    pub(crate) fn of(tree: &Tree, word: &str, until: Instant) -> Self {
        let (since, hits) = (Instant::now(), BTreeMap::new());
        let mut all = Self { word: word.to_owned(), since, hits, is_whole: true, complete: true };
        let Ok(matcher) = line_pattern::whole_word(word) else {
            return Self { is_whole: false, complete: false, ..all };
        };
        let suffixes: Vec<_> =
            LANGUAGES.iter().filter(|it| it.is_code).flat_map(Language::suffixes).collect();
        let foresight = Foresight::default();
        for folder in &tree.folders {
            let query = Query {
                start: folder.clone(),
                root: folder.clone(),
                texts: Texts::clone(&tree.texts),
                matcher: matcher.clone(),
                suffixes: suffixes.clone(),
                keep: LINE_LIMIT,
                deadline: Some(until),
            };
            let found = match tree.holding(&query, word) {
                Some(files) => line_search::run_in(&query, &files, &unasked()),
                None => line_search::run_seeing(&query, &unasked(), &|path| foresight.see(path)),
            };
            all.is_whole &= !found.stopped && found.total <= LINE_LIMIT as u64;
            all.complete &= !found.stopped && found.skipped == 0;
            all.hits.extend(found.hits);
        }
        all
    }

    /// The languages that mention it; all of them where there are too many lines to tell.
    pub(crate) fn languages(&self) -> Vec<&'static Language> {
        let code = LANGUAGES.iter().filter(|it| it.is_code);
        code.filter(|it| !self.is_whole || self.hits.keys().any(|path| it.owns(path))).collect()
    }

    /// Whether it says where that name stands, as the files are now.
    pub(crate) fn tells_of(&self, name: &str) -> bool {
        self.word == name && self.since.elapsed() <= FRESH
    }

    /// The files of a language that may define the word.
    pub(crate) fn suspects(&self, language: &Language) -> Suspects {
        let pattern = regex::Regex::new(&language.naming(language.definition, &self.word)).ok();
        // Of a line that was cut nobody knows what stands in the rest.
        let reads_so =
            |it: &Hit| it.is_cut || pattern.as_ref().is_none_or(|pattern| pattern.is_match(&it.text));
        let here = self.hits.iter().filter(|(path, _)| language.owns(path));
        let (likely, others): (Vec<_>, Vec<_>) = here.partition(|(_, hits)| hits.iter().any(reads_so));
        let n_likely = likely.len();
        let files = likely.into_iter().chain(others).map(|(path, _)| path.clone()).collect();
        Suspects { files, n_likely, are_all: self.is_whole && self.complete }
    }
}

/// The files that mention a name, and so may define it.
#[derive(Debug)]
pub(crate) struct Suspects {
    /// Those first that have a line that reads as its definition.
    pub(crate) files: Vec<PathBuf>,
    /// How many these are.
    pub(crate) n_likely: usize,
    /// Whether there are no others.
    pub(crate) are_all: bool,
}

/// Where a text reads as declaring a name.
pub(crate) fn declared_in(language: &Language, text: &Text, name: &str) -> Vec<Point> {
    let pattern = language.declaration.replace("NAME", r"(?<name>NAME)\b");
    let pattern = language.naming(&pattern, name);
    let Ok(pattern) = regex::Regex::new(&pattern) else { return Vec::new() };
    let lines = (0..text.line_count()).filter_map(|line| Some((line, text.line(line)?)));
    let found = lines.filter_map(|(line, code)| {
        let at = pattern.captures(code)?.name("name")?.start();
        let column = code[..at].chars().count();
        Some(Point { line: Line::from_index(line), column: Column::from_index(column) })
    });
    found.collect()
}

/// The names like this that the sources seem to define, by file; blocking.
pub(crate) fn declared_like(
    language: &Language,
    tree: &Tree,
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
        let found = line_search::run(&query(language, tree, folder, &matcher, until), &unasked());
        for (path, hits) in found.hits {
            let written = hits.iter().flat_map(|hit| capture.captures_iter(&hit.text));
            let written = written.filter_map(|it| Some(it.name("name")?.as_str().to_owned()));
            names.extend(written.filter_map(|it| Some(((path.clone(), it.clone()), likeness(asked, &it)?))));
        }
    }
    names
}

/// How many lines of a text read as definitions.
pub(crate) fn declaring(language: &Language, text: &Text) -> usize {
    let pattern = language.declaration.replace("NAME", &format!(r"[A-Za-z_{}]\w*", language.letters));
    let Ok(pattern) = regex::Regex::new(&pattern) else { return 0 };
    (0..text.line_count()).filter_map(|line| text.line(line)).filter(|it| pattern.is_match(it)).count()
}

/// The lines that give something that name beside its own, as imports do; blocking.
pub(crate) fn aliases(language: &Language, tree: &Tree, name: &str, until: Instant) -> Lines {
    let pattern = language.naming(r"[\w*]\s+as\s+NAME\b", name);
    let matcher = line_pattern::matcher(&pattern);
    matcher.map(|it| lines(language, tree, &it, Some(name), until)).unwrap_or_default()
}

/// The lines that hold a word; blocking.
pub(crate) fn mentions(language: &Language, tree: &Tree, word: &str, until: Instant) -> Lines {
    language.whole_word(word).map(|it| lines(language, tree, &it, Some(word), until)).unwrap_or_default()
}

/// The same, of what is in the files and not of what is remembered of them; blocking.
pub(crate) fn mentions_anew(language: &Language, tree: &Tree, word: &str, until: Instant) -> Lines {
    language.whole_word(word).map(|it| lines(language, tree, &it, None, until)).unwrap_or_default()
}

/// Every name that some line declares; blocking.
pub(crate) fn declared_names(language: &Language, tree: &Tree, until: Instant) -> BTreeSet<String> {
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
        .map(|folder| line_search::run(&query(language, tree, folder, &matcher, until), &unasked()))
    {
        for hit in found.hits.values().flatten() {
            names.extend(
                capture.captures_iter(&hit.text).filter_map(|it| Some(it.get(1)?.as_str().to_owned())),
            );
        }
    }
    names
}

/// The lines that match; `word`, if there is one, stands in each of them.
fn lines(
    language: &Language,
    tree: &Tree,
    matcher: &RegexMatcher,
    word: Option<&str>,
    until: Instant,
) -> Lines {
    let mut all = Lines { complete: true, ..Lines::default() };
    for folder in &tree.folders {
        let found = find(&query(language, tree, folder, matcher, until), tree, word);
        all.total += found.total;
        all.complete &= !found.stopped && found.skipped == 0;
        let lines = found.hits.into_iter();
        all.lines.extend(lines.map(|(path, hits)| (path, hits.into_iter().map(|it| it.line).collect())));
    }
    all
}

/// Searches, only where the word may be when that is known.
fn find(query: &Query, tree: &Tree, word: Option<&str>) -> Found {
    match word.and_then(|it| tree.holding(query, it)) {
        Some(files) => line_search::run_in(query, &files, &unasked()),
        None => line_search::run(query, &unasked()),
    }
}

impl Tree {
    /// The files that may hold a word, where that is known.
    fn holding(&self, query: &Query, word: &str) -> Option<Vec<PathBuf>> {
        let is_of_code = |it: &String| LANGUAGES.iter().any(|row| row.is_code && row.suffixes().contains(it));
        let is_kept = !query.suffixes.is_empty() && query.suffixes.iter().all(is_of_code);
        if is_kept { self.lexicon.holding(&query.start, word, &query.texts) } else { None }
    }
}

/// Makes the syntaxes ready that will be asked what a name is, while it is still looked for: those of the first files that
/// mention it.
#[derive(Default)]
struct Foresight(Mutex<HashSet<&'static str>>);

impl Foresight {
    fn see(&self, path: &Path) {
        let Some(syntax) = language_of(path) else { return };
        if lock(&self.0).insert(syntax.id()) {
            // Where no thread is to be had, it is made ready when it is needed.
            let _ = thread::Builder::new().spawn(move || syntax.prepare());
        }
    }
}

fn query(language: &Language, tree: &Tree, folder: &Path, matcher: &RegexMatcher, until: Instant) -> Query {
    Query {
        start: folder.to_owned(),
        root: folder.to_owned(),
        texts: Texts::clone(&tree.texts),
        matcher: matcher.clone(),
        suffixes: language.suffixes(),
        keep: LINE_LIMIT,
        deadline: Some(until),
    }
}

/// These scans are short and end at their deadline; nobody cancels them.
fn unasked() -> Arc<AtomicBool> {
    Arc::default()
}

/// The names closest to one that does not exist, the closest first.
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
