//! Which symbols have a name like this, as far as the syntax of the files says.

use ide_protocol::Definition;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use ide_protocol::{Completeness, Source, SymbolsQuestion, SymbolsResult};
use syntax::Kind;

use super::candidate::{Candidate, of_node};
use super::sources::{Seen, Sources, seen, without_constructors, written};
use super::{FILES, Instead};
use crate::blocking;
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::{Asked, Fit, Likeness, Name, likeness};
use crate::fallback::source::outline;
use crate::fallback::workspace::index::Cards;
use crate::fallback::workspace::index::file_symbols::{is_declared, nodes};
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::Tree;

/// The names that files seem to define, with how they are like the one asked for.
type Written = BTreeMap<(PathBuf, String), Likeness>;

/// Looks; `None` where the syntax is not known, or it is no name.
pub(crate) async fn symbols(
    roots: &Arc<Roots>,
    language: &'static Language,
    request: &SymbolsQuestion,
    instead: &Instead,
) -> Option<SymbolsResult> {
    let name = Name::told(&request.query, language).filter(|_| language.has_syntax())?;
    let within = request.path.as_deref().map(|it| roots.resolve(it)).transpose().ok()?;
    let (roots, instead) = (Arc::clone(roots), instead.clone());
    let looking = blocking::spawn(move || {
        let within = within.map(|it| it.path);
        let cards = match language.defines_plainly {
            true => roots.cards(language, within.as_deref(), instead.until),
            false => roots.cards_soon(language, within.as_deref(), instead.until),
        };
        if let Some(cards) = cards
            && let Some(found) = in_cards(&roots, language, &cards, &name, &instead)
        {
            return Some(found);
        }
        let mut tree = roots.tree();
        if let Some(folder) = within {
            tree.folders = vec![folder];
        }
        Some(look(&roots, language, &tree, &name, &instead))
    });
    looking.await
}

fn look(
    roots: &Roots,
    language: &'static Language,
    tree: &Tree,
    name: &Name,
    instead: &Instead,
) -> SymbolsResult {
    let mut sources = Sources::new(roots, language, instead.until);
    let mut found = having(&mut sources, tree, name);
    // That the line of a definition reads like one cannot be relied on.
    let blind =
        if language.defines_plainly { "" } else { "; names that only have it as a part may be missing" };
    if found.is_empty() {
        let written = word_scan::declared_like(language, tree, &name.last, instead.until);
        found = confirmed(&mut sources, &written, name);
    }
    let found = without_constructors(found);
    let total = found.len() as u64;
    let cut_short = if sources.is_cut { "; not every file was looked into" } else { "" };
    let note = Some(format!("{}{blind}{cut_short}", instead.why));
    let definitions = found.iter().map(|it| sources.write(it)).collect();
    let result = SymbolsResult {
        completeness: Completeness { complete: false, source: Source("syntax".into()), note },
        total,
        definitions,
    };
    cut(result, &name.last)
}

/// Looks through what is known of all files; `None` where one changed meanwhile.
fn in_cards(
    roots: &Roots,
    language: &'static Language,
    cards: &Cards,
    name: &Name,
    instead: &Instead,
) -> Option<SymbolsResult> {
    let asked = Asked::new(&name.last);
    let mut found = filed(cards, name, |it| asked.likeness(it).is_some_and(Likeness::is_part))?;
    if found.is_empty() {
        found = filed(cards, name, |it| asked.likeness(it).is_some())?;
        found.retain(|it| is_declared(it.kind));
    }
    let types: HashSet<_> =
        found.iter().filter(|it| it.kind.is_type()).map(|it| it.candidate.name.clone()).collect();
    found.retain(|it| !is_constructor_of(it, &types));
    let total = found.len() as u64;
    // In the order of the answer, so that the text is read of nothing else.
    found.sort_by_cached_key(|it| {
        let name = &it.candidate.name;
        let place = (roots.spell(&it.candidate.path), it.candidate.name_at.start.line);
        (likeness(&asked.name, name), name.chars().count(), name.clone(), place)
    });
    found.truncate(LIMIT);
    let mut sources = Sources::new(roots, language, instead.until);
    let mut definitions = Vec::new();
    for Filed { candidate, .. } in &found {
        let text = sources.text(&candidate.path)?;
        let line = text.line(candidate.name_at.start.line.index());
        if !line.is_some_and(|it| it.contains(&candidate.name)) {
            return None;
        }
        definitions.push(written(roots, candidate, &text));
    }
    let cut_short = if cards.is_blind { "; not every file could be read" } else { "" };
    let note = Some(format!("{}{cut_short}", instead.why));
    let result = SymbolsResult {
        completeness: Completeness { complete: false, source: Source("syntax".into()), note },
        total,
        definitions,
    };
    Some(cut(result, &name.last))
}

/// A definition as its card has it.
struct Filed {
    candidate: Candidate,
    kind: Kind,
}

/// The definitions whose names are wanted and that one could name from elsewhere; `None` where a card is none.
fn filed(cards: &Cards, name: &Name, is_wanted: impl Fn(&str) -> bool) -> Option<Vec<Filed>> {
    let mut all = Vec::new();
    for (path, card) in cards.cards.iter().filter(|(_, card)| card.names().any(&is_wanted)) {
        let entries = card.entries()?;
        let nodes = nodes(&entries);
        // Both are in the order of the text, each before what is inside of it.
        let here = outline::all(&nodes).into_iter().zip(&entries).filter(|(_, it)| is_wanted(&it.name));
        let here = here.map(|(found, it)| Filed { candidate: of_node(path, &found, name), kind: it.kind });
        all.extend(here.filter(|Filed { candidate, kind }| {
            !candidate.is_local && *kind != Kind::Extension && candidate.fit != Fit::None
        }));
    }
    Some(all)
}

/// Whether it is called as its type is, which is there.
fn is_constructor_of(it: &Filed, types: &HashSet<String>) -> bool {
    let Candidate { name, container, .. } = &it.candidate;
    it.kind == Kind::Constructor && container.as_ref() == Some(name) && types.contains(name)
}

/// Those whose names have what is asked for in one piece.
fn having(sources: &mut Sources<'_>, tree: &Tree, name: &Name) -> Vec<Seen> {
    let lines = word_scan::definitions_having(sources.language, tree, &name.last, sources.until);
    let is_alike = |it: &syntax::Definition| likeness(&name.last, &it.name).is_some_and(Likeness::is_part);
    let mut found = Vec::new();
    let mut files = sources.files_of(lines);
    if !sources.language.defines_plainly {
        // Of the very name none is missing.
        let lines = word_scan::mentions(sources.language, tree, &name.last, sources.until);
        files.extend(sources.files_of(lines));
        files.sort();
        files.dedup();
    }
    for path in files {
        let Some(source) = sources.source(&path) else { continue };
        found.extend(seen(&source, name, is_alike));
    }
    found.retain(is_told);
    found
}

/// Whether one could name it from elsewhere.
fn is_told(seen: &Seen) -> bool {
    !seen.candidate.is_local && !seen.is_extension() && seen.candidate.fit != Fit::None
}

/// Those of the names that the outlines of their files have, the files with the likeliest first.
fn confirmed(sources: &mut Sources<'_>, written: &Written, name: &Name) -> Vec<Seen> {
    let mut files: BTreeMap<&PathBuf, (Likeness, BTreeSet<&str>)> = BTreeMap::new();
    for ((path, word), likeness) in written {
        let (best, words) = files.entry(path).or_insert((*likeness, BTreeSet::new()));
        *best = (*best).min(*likeness);
        words.insert(word);
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(path, (likeness, _))| (*likeness, *path));
    sources.is_cut |= files.len() > FILES;
    files.truncate(FILES);
    sources.read_all(&files.iter().map(|(path, _)| (*path).clone()).collect::<Vec<_>>());
    let mut found = Vec::new();
    for (path, (_, words)) in files {
        let Some(source) = sources.source(path) else { continue };
        let mut here = seen(&source, name, |it| words.contains(it.name.as_str()));
        here.retain(is_told);
        found.extend(here);
    }
    found
}

/// How many symbols one answer holds.
pub(crate) const LIMIT: usize = 100;

/// The likeliest first, and no more than fit.
pub(crate) fn cut(mut result: SymbolsResult, query: &str) -> SymbolsResult {
    result.definitions.sort_by_cached_key(|it| {
        let FileOrder(path, line) = FileOrder::of(it);
        (likeness(query, &it.name), it.name.chars().count(), it.name.clone(), path, line)
    });
    result.definitions.truncate(LIMIT);
    if result.total > result.definitions.len() as u64 {
        result.completeness.complete = false;
        result.completeness.note = result.completeness.note.filter(|it| !it.starts_with("the first "));
        let cut = format!(
            "the first {} of {}; a longer name or a path narrows it",
            result.definitions.len(),
            result.total
        );
        result.completeness.note =
            Some(result.completeness.note.map_or(cut.clone(), |note| format!("{cut}; {note}")));
    }
    result
}

struct FileOrder(String, u32);

impl FileOrder {
    fn of(definition: &Definition) -> Self {
        Self(definition.name_at.path.clone(), definition.name_at.start.line.get())
    }
}
