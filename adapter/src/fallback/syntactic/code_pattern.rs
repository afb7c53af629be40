//! Searches code by a syntactic pattern. A file is parsed only if it contains the pattern's words.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ide_protocol::FileRange;
use source_text::Span;
use syntax::{Language, Match, Matches, Parsed, Pattern};

use super::syntax_facts;
use crate::fallback::source::languages;
use crate::fallback::source::languages::ids;
use crate::fallback::source::text::{ReadError, Text, excerpt};
use crate::fallback::source::top_matches::TopMatches;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::walk;
use unpoisoned::lock;

/// The most characters of a placeholder's binding in an answer.
const BINDING_WIDTH: usize = 1000;

/// A query for code by patterns.
pub(crate) struct PatternQuery<'a> {
    pub(crate) roots: &'a SessionFolders,
    /// The file or folder to search, canonical, under `root`.
    pub(crate) start: PathBuf,
    /// The session's folder that contains `start`.
    pub(crate) root: PathBuf,
    /// The pattern for each language to search.
    pub(crate) patterns: &'a [Pattern],
    /// The filter of files.
    pub(crate) is_meant: &'a (dyn Fn(&Path) -> bool + Sync),
    /// The most matches to keep, the first in order of path and position.
    pub(crate) keep: usize,
    /// The time when the search stops.
    pub(crate) deadline: Instant,
}

/// The reason why a file may have more matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doubt {
    /// It could not be read.
    Unread,
    /// It is too large to be parsed, or takes too long.
    Unparsed,
    /// It takes too long to compare.
    Unfinished,
    /// A part of it is no code of its language.
    Torn,
}

/// The matches of a query.
#[derive(Debug, Default)]
pub(crate) struct PatternMatches {
    pub(crate) finds: TopMatches<FileRange>,
    /// The number of all matches.
    pub(crate) total: u64,
    /// The number of searched files of each language.
    pub(crate) files: BTreeMap<&'static str, u64>,
    /// The number of files of languages without a pattern.
    pub(crate) others: BTreeMap<&'static str, u64>,
    /// Files that could not be searched completely.
    pub(crate) doubtful: BTreeMap<PathBuf, Doubt>,
    /// `true` if the search stopped early.
    pub(crate) stopped: bool,
}

/// Searches on several threads; blocking. It stops soon after `cancelled` becomes true.
pub(crate) fn run(query: &PatternQuery<'_>, cancelled: &AtomicBool) -> PatternMatches {
    let found = Mutex::new(PatternMatches::default());
    let texts = query.roots.texts();
    walk::visit(&query.start, &query.root, query.roots.left_out(), &|| {
        let found = &found;
        Box::new(move |path| look(query, path, cancelled, found))
    });
    // Files that exist only in the editor.
    let unwritten = texts.keys().filter(|it| it.starts_with(&query.start) && !it.exists());
    for path in unwritten {
        look(query, path, cancelled, &found);
    }
    unpoisoned::into_inner(found)
}

/// Searches one file; `false` when the time is over.
fn look(
    query: &PatternQuery<'_>,
    path: &Path,
    cancelled: &AtomicBool,
    found: &Mutex<PatternMatches>,
) -> bool {
    let found = || lock(found);
    if cancelled.load(Ordering::Relaxed) || Instant::now() >= query.deadline {
        found().stopped = true;
        return false;
    }
    let Some(language) = languages::language_of(path).filter(|_| (query.is_meant)(path)) else {
        return true;
    };
    let Some(pattern) = query.patterns.iter().find(|it| it.language() == language) else {
        *found().others.entry(language.name()).or_default() += 1;
        return true;
    };
    let look = in_file(query, pattern, path);
    let mut found = found();
    *found.files.entry(language.name()).or_default() += 1;
    if let Some(doubt) = look.doubt {
        found.doubtful.insert(path.to_owned(), doubt);
    }
    found.total += look.total;
    found.finds.add(path, look.finds, query.keep);
    true
}

/// The matches of one file.
#[derive(Default)]
struct FileMatches {
    finds: Vec<FileRange>,
    total: u64,
    doubt: Option<Doubt>,
}

fn in_file(query: &PatternQuery<'_>, pattern: &Pattern, path: &Path) -> FileMatches {
    let doubtful = |doubt| FileMatches { doubt: Some(doubt), ..FileMatches::default() };
    let text = match query.roots.texts().get(path) {
        Some(text) => std::sync::Arc::clone(text),
        None => match Text::read_with_words(path, pattern.words()) {
            Ok(Some(text)) => std::sync::Arc::new(text),
            Ok(None) | Err(ReadError::Binary) => return FileMatches::default(),
            Err(_) => return doubtful(Doubt::Unread),
        },
    };
    if !pattern.words().iter().all(|it| text.as_str().contains(it.as_str())) {
        return FileMatches::default();
    }
    let Some(parsed) = Parsed::new(pattern.language(), text.as_str()) else {
        return doubtful(Doubt::Unparsed);
    };
    let matches = pattern.matches(&parsed);
    FileMatches {
        total: matches.found.len() as u64,
        finds: ranges(query, pattern, path, &text, &parsed, &matches.found),
        doubt: match matches {
            Matches { is_cut: true, .. } => Some(Doubt::Unfinished),
            Matches { is_doubtful: true, .. } => Some(Doubt::Torn),
            Matches { .. } => None,
        },
    }
}

fn ranges(
    query: &PatternQuery<'_>,
    pattern: &Pattern,
    path: &Path,
    text: &Text,
    parsed: &Parsed<'_>,
    found: &[Match],
) -> Vec<FileRange> {
    if found.is_empty() {
        return Vec::new();
    }
    let place = query.roots.place(path.to_owned());
    let first = &found[..found.len().min(query.keep)];
    let usages = syntax_facts::in_parsed(
        parsed,
        &parsed.outline(),
        text,
        &place.spelling,
        first.iter().map(|it| it.span.start),
    );
    let range = |(found, usage): (&Match, syntax_facts::Usage)| {
        let (start, end) = (text.point(found.span.start), text.point(found.span.end));
        let names = pattern.names().iter().cloned();
        let range = FileRange {
            text: text.line(start.line.index()).map(|it| excerpt(it, start.column.index())),
            external: place.external,
            bindings: names.zip(found.bindings.iter().map(|it| bound(text, *it))).collect(),
            ..FileRange::new(place.spelling.clone(), start, end)
        };
        // Roles apply to names only.
        FileRange { role: None, ..usage.add_to(range) }
    };
    first.iter().zip(usages).map(range).collect()
}

fn bound(text: &Text, span: Span) -> String {
    let whole = &text.as_str()[span.range()];
    match whole.char_indices().nth(BINDING_WIDTH) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole.to_owned(),
    }
}

/// Finds a language by its id, its name, or a file extension.
pub(crate) fn language(named: &str) -> Option<Language> {
    let named = named.trim().trim_start_matches('*').trim_start_matches('.').to_lowercase();
    let has_name = |it: &Language| it.id() == named || it.name().to_lowercase() == named;
    let has_extension = |it: &Language| it.extensions().contains(&named.as_str());
    Language::all()
        .find(has_name)
        .or_else(|| Language::all().find(has_extension))
        .or_else(|| other_name(&named))
}

fn other_name(named: &str) -> Option<Language> {
    let id = match named {
        "golang" => ids::GO,
        "c++" => ids::CPP,
        "node" | "ecmascript" => ids::JAVASCRIPT,
        "shell" | "shellscript" => ids::BASH,
        _ => return None,
    };
    Language::of_id(id)
}
