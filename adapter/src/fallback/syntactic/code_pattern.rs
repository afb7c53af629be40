//! Finds code that is written like a pattern. A file is parsed only when it has the pattern's words.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use ide_protocol::FileRange;
use source_text::Span;
use syntax::{Language, Match, Parsed, Pattern};

use super::syntax_facts;
use crate::fallback::source::languages;
use crate::fallback::source::text::{ReadError, Text, excerpt};
use crate::fallback::source::top_matches::First;
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::walk;
use crate::lock::lock;

/// How many characters of what a hole stands for are given.
const BINDING_WIDTH: usize = 1000;

/// What to look for, and where.
pub(crate) struct Query<'a> {
    pub(crate) roots: &'a Roots,
    /// Where to look: a file or folder under `root`, canonical.
    pub(crate) start: PathBuf,
    /// The session's folder that holds `start`.
    pub(crate) root: PathBuf,
    /// A pattern for each language that is looked into.
    pub(crate) patterns: &'a [Pattern],
    /// Which files are meant.
    pub(crate) is_meant: &'a (dyn Fn(&Path) -> bool + Sync),
    /// How many finds to keep, the first in order of path and place.
    pub(crate) keep: usize,
    /// When to stop.
    pub(crate) deadline: Instant,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) finds: First<FileRange>,
    /// How many there are in all.
    pub(crate) total: u64,
    /// How many files of each language were looked into.
    pub(crate) files: BTreeMap<&'static str, u64>,
    /// How many files are of a language for which there is no pattern.
    pub(crate) others: BTreeMap<&'static str, u64>,
    /// Files that could not be read, or not throughout, so that there may be more.
    pub(crate) doubtful: BTreeSet<PathBuf>,
    /// Whether it stopped before the end.
    pub(crate) stopped: bool,
}

/// Searches, blocking, on several threads; ends soon after `cancelled` becomes true.
pub(crate) fn run(query: &Query<'_>, cancelled: &AtomicBool) -> Found {
    let found = Mutex::new(Found::default());
    let texts = query.roots.texts();
    walk::visit(&query.start, &query.root, &|| {
        let found = &found;
        Box::new(move |path| look(query, path, cancelled, found))
    });
    // Those that exist in the editor only.
    let unwritten = texts.keys().filter(|it| it.starts_with(&query.start) && !it.exists());
    for path in unwritten {
        look(query, path, cancelled, &found);
    }
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Looks into one file; `false` when there is no time for more.
fn look(query: &Query<'_>, path: &Path, cancelled: &AtomicBool, found: &Mutex<Found>) -> bool {
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
    if look.is_doubtful {
        found.doubtful.insert(path.to_owned());
    }
    found.total += look.total;
    found.finds.add(path, look.finds, query.keep);
    true
}

/// What one file has.
#[derive(Default)]
struct Look {
    finds: Vec<FileRange>,
    total: u64,
    is_doubtful: bool,
}

fn in_file(query: &Query<'_>, pattern: &Pattern, path: &Path) -> Look {
    let doubtful = Look { is_doubtful: true, ..Look::default() };
    let text = match query.roots.texts().get(path) {
        Some(text) => std::sync::Arc::clone(text),
        None => match Text::read_with_words(path, pattern.words()) {
            Ok(Some(text)) => std::sync::Arc::new(text),
            Ok(None) | Err(ReadError::Binary) => return Look::default(),
            Err(_) => return doubtful,
        },
    };
    if !pattern.words().iter().all(|it| text.as_str().contains(it.as_str())) {
        return Look::default();
    }
    let Some(parsed) = Parsed::new(pattern.language(), text.as_str()) else { return doubtful };
    let matches = pattern.matches(&parsed);
    Look {
        total: matches.found.len() as u64,
        finds: ranges(query, pattern, path, &text, &parsed, &matches.found),
        is_doubtful: matches.is_cut || matches.is_doubtful,
    }
}

fn ranges(
    query: &Query<'_>,
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
        &place.spelling,
        first.iter().map(|it| it.span.start),
    );
    let range = |(found, usage): (&Match, syntax_facts::Usage)| {
        let (start, end) = (text.point(found.span.start), text.point(found.span.end));
        let names = pattern.names().iter().cloned();
        let line = text.line(start.line.index()).unwrap_or_default();
        let range = FileRange {
            text: Some(excerpt(line, start.column.index())),
            external: place.external,
            bindings: names.zip(found.bindings.iter().map(|it| bound(text, *it))).collect(),
            ..FileRange::new(place.spelling.clone(), start, end)
        };
        // What part a name plays is said of names.
        FileRange { role: None, ..usage.onto(range) }
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

/// The language that somebody names: by its identifier, its name, or the end of its files' names.
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
        "golang" => "go",
        "c++" => "cpp",
        "node" | "ecmascript" => "javascript",
        "shell" | "shellscript" => "bash",
        _ => return None,
    };
    Language::of_id(id)
}
