//! Searches for symbols by name in the syntax of the files.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use ide_protocol::{Definition, Reason, SymbolsQuestion, SymbolsResult};
use syntax::Kind;

use super::candidate::{Candidate, of_node};
use super::fallback_reason::FallbackReason;
use super::found_definition::{FoundDefinition, definitions_in, to_definition};
use super::selection::without_constructors;
use super::sources::{FILE_LIMIT, ParsedFiles};
use crate::blocking;
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::{Fit, Likeness, Name, NameQuery, likeness};
use crate::fallback::source::outline;
use crate::fallback::workspace::index::FolderSymbols;
use crate::fallback::workspace::index::file_symbols::{is_declared, nodes};
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::SearchScope;

/// Similar names that files seem to define.
type LikelyNames = BTreeMap<(PathBuf, String), Likeness>;

/// Finds the symbols of a query; `None` without a grammar, or if the query is no name.
pub(crate) async fn symbols(
    roots: &Arc<SessionFolders>,
    language: &'static Language,
    request: &SymbolsQuestion,
    instead: &FallbackReason,
) -> Option<SymbolsResult> {
    let name = Name::parse_known(&request.query, language).filter(|_| language.has_syntax())?;
    let within = request.path.as_deref().map(|it| roots.resolve(it)).transpose().ok()?;
    let (roots, reason) = (Arc::clone(roots), instead.clone());
    let looking = blocking::spawn(move || {
        let instead = reason;
        let within = within.map(|it| it.path);
        let index = match language.defines_plainly && !instead.is_early {
            true => roots.symbols(language, within.as_deref(), instead.until),
            false => roots.wait_for_symbols(language, within.as_deref(), instead.until),
        };
        if let Some(index) = index
            && let Some(found) = in_index(&roots, language, &index, &name, &instead)
        {
            return Some(found);
        }
        if instead.is_early {
            return None;
        }
        let mut tree = roots.search_scope();
        if let Some(folder) = within {
            tree.folders = vec![folder];
        }
        Some(look(&roots, language, &tree, &name, &instead))
    });
    looking.await.filter(|it: &SymbolsResult| !instead.is_early || it.total > 0)
}

fn look(
    roots: &SessionFolders,
    language: &'static Language,
    tree: &SearchScope,
    name: &Name,
    instead: &FallbackReason,
) -> SymbolsResult {
    let mut sources = ParsedFiles::new(roots, language, instead.until);
    let mut found = definitions_containing(&mut sources, tree, name);
    // Not every definition stands on a line that looks like one.
    let blind = (!language.defines_plainly).then_some(Reason::PartsOfNames {});
    if found.is_empty() {
        let written = word_scan::declared_like(language, tree, &name.last, instead.until);
        found = confirmed(&mut sources, &written, name);
    }
    let found = without_constructors(found);
    let total = found.len() as u64;
    let cut = sources.is_cut.then_some(Reason::FilesCut {});
    let definitions = found.iter().map(|it| sources.write(it)).collect();
    let alone = Reason::FromSyntaxAlone { why: instead.why.clone() };
    let completeness = instead.completeness([alone].into_iter().chain(blind).chain(cut));
    let result = SymbolsResult { completeness, total, definitions };
    limit_results(result, &name.last)
}

/// Searches the index; `None` if a file has changed meanwhile.
fn in_index(
    roots: &SessionFolders,
    language: &'static Language,
    index: &FolderSymbols,
    name: &Name,
    instead: &FallbackReason,
) -> Option<SymbolsResult> {
    let asked = NameQuery::new(&name.last);
    let mut found = indexed_definitions(index, name, |it| asked.likeness(it).is_some_and(Likeness::is_part))?;
    if found.is_empty() {
        found = indexed_definitions(index, name, |it| asked.likeness(it).is_some())?;
        found.retain(|it| is_declared(it.kind));
    }
    let types: HashSet<_> =
        found.iter().filter(|it| it.kind.is_type()).map(|it| it.candidate.name.clone()).collect();
    found.retain(|it| !is_constructor_of(it, &types));
    let total = found.len() as u64;
    // Sorted as the answer, so that only the texts of its symbols are read.
    found.sort_by_cached_key(|it| {
        let name = &it.candidate.name;
        let place = (roots.display_path(&it.candidate.path), it.candidate.name_at.start.line);
        (likeness(&asked.name, name), name.chars().count(), name.clone(), place)
    });
    found.truncate(LIMIT);
    let mut sources = ParsedFiles::new(roots, language, instead.until);
    let mut definitions = Vec::new();
    for IndexedDefinition { candidate, .. } in &found {
        let text = sources.text(&candidate.path)?;
        let line = text.line(candidate.name_at.start.line.index());
        if !line.is_some_and(|it| it.contains(&candidate.name)) {
            return None;
        }
        definitions.push(to_definition(roots, candidate, &text));
    }
    if instead.is_early && !index.unreadable.is_empty() {
        return None;
    }
    let alone = Reason::FromSyntaxAlone { why: instead.why.clone() };
    let unread = (!index.unreadable.is_empty()).then_some(Reason::FilesUnread {});
    let completeness = instead.completeness([alone].into_iter().chain(unread));
    let result = SymbolsResult { completeness, total, definitions };
    Some(limit_results(result, &name.last))
}

/// A definition from the index.
struct IndexedDefinition {
    candidate: Candidate,
    kind: Kind,
}

/// Returns the wanted definitions that can be named from elsewhere; `None` if the index is damaged.
fn indexed_definitions(
    index: &FolderSymbols,
    name: &Name,
    is_wanted: impl Fn(&str) -> bool,
) -> Option<Vec<IndexedDefinition>> {
    let mut all = Vec::new();
    for (path, file) in index.files.iter().filter(|(_, file)| file.names().any(&is_wanted)) {
        let entries = file.entries()?;
        let nodes = nodes(&entries);
        // Nodes and entries are in the order of the text, each parent before its children.
        let here = outline::all(&nodes).into_iter().zip(&entries).filter(|(_, it)| is_wanted(&it.name));
        let here = here
            .map(|(found, it)| IndexedDefinition { candidate: of_node(path, &found, name), kind: it.kind });
        all.extend(here.filter(|IndexedDefinition { candidate, kind }| {
            !candidate.is_local && *kind != Kind::Extension && candidate.fit != Fit::None
        }));
    }
    Some(all)
}

/// Returns whether it is a constructor whose type was found too.
fn is_constructor_of(it: &IndexedDefinition, types: &HashSet<String>) -> bool {
    let Candidate { name, container, .. } = &it.candidate;
    it.kind == Kind::Constructor && container.as_ref() == Some(name) && types.contains(name)
}

/// Returns the definitions whose names contain the query in one piece.
fn definitions_containing(
    sources: &mut ParsedFiles<'_>,
    tree: &SearchScope,
    name: &Name,
) -> Vec<FoundDefinition> {
    let lines = word_scan::definitions_having(sources.language, tree, &name.last, sources.until);
    let is_alike = |it: &syntax::Definition| likeness(&name.last, &it.name).is_some_and(Likeness::is_part);
    let mut found = Vec::new();
    let mut files = sources.files_of(lines);
    if !sources.language.defines_plainly {
        // Definitions with exactly this name must not be missing.
        let lines = word_scan::mentions(sources.language, tree, &name.last, sources.until);
        files.extend(sources.files_of(lines));
        files.sort();
        files.dedup();
    }
    for path in files {
        let Some(source) = sources.source(&path) else { continue };
        found.extend(definitions_in(&source, name, is_alike));
    }
    found.retain(is_reachable);
    found
}

/// Returns whether it can be named from elsewhere.
fn is_reachable(seen: &FoundDefinition) -> bool {
    !seen.candidate.is_local && !seen.is_extension() && seen.candidate.fit != Fit::None
}

/// Returns the candidates that the outlines of their files confirm, the most similar first.
fn confirmed(sources: &mut ParsedFiles<'_>, written: &LikelyNames, name: &Name) -> Vec<FoundDefinition> {
    let mut files: BTreeMap<&PathBuf, (Likeness, BTreeSet<&str>)> = BTreeMap::new();
    for ((path, word), likeness) in written {
        let (best, words) = files.entry(path).or_insert((*likeness, BTreeSet::new()));
        *best = (*best).min(*likeness);
        words.insert(word);
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(path, (likeness, _))| (*likeness, *path));
    sources.is_cut |= files.len() > FILE_LIMIT;
    files.truncate(FILE_LIMIT);
    sources.read_all(&files.iter().map(|(path, _)| (*path).clone()).collect::<Vec<_>>());
    let mut found = Vec::new();
    for (path, (_, words)) in files {
        let Some(source) = sources.source(path) else { continue };
        let mut here = definitions_in(&source, name, |it| words.contains(it.name.as_str()));
        here.retain(is_reachable);
        found.extend(here);
    }
    found
}

/// The most symbols in an answer.
pub(crate) const LIMIT: usize = 100;

/// Sorts the symbols, the most similar first, and truncates them to [`LIMIT`].
pub(crate) fn limit_results(mut result: SymbolsResult, query: &str) -> SymbolsResult {
    result.definitions.sort_by_cached_key(|it| {
        let FileOrder(path, line) = FileOrder::of(it);
        (likeness(query, &it.name), it.name.chars().count(), it.name.clone(), path, line)
    });
    result.definitions.truncate(LIMIT);
    if result.total > result.definitions.len() as u64 {
        // Those of single languages were cut, too.
        result.completeness.retain(|it| !matches!(it, Reason::SymbolsCut { .. }));
        let (shown, total) = (result.definitions.len(), result.total);
        result.completeness.lead_with(Reason::SymbolsCut { shown, total });
    }
    result
}

struct FileOrder(String, u32);

impl FileOrder {
    fn of(definition: &Definition) -> Self {
        Self(definition.name_at.path.clone(), definition.name_at.start.line.get())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::fallback::source::languages::{LANGUAGES, language_of};
    use crate::fallback::source::text::Text;
    use crate::fallback::workspace::index::file_symbols::FileSymbols;

    fn language(id: &str) -> &'static Language {
        LANGUAGES.iter().find(|it| it.id == id).unwrap()
    }

    /// Returns a folder with one file, and a name that it defines.
    fn world(file: &str, text: &str) -> (tempfile::TempDir, SessionFolders, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        fs::write(&path, text).unwrap();
        let roots = SessionFolders::new(vec![dir.path().to_owned()]);
        (dir, roots, path)
    }

    #[test]
    fn names_that_no_line_shows_plainly_may_be_missing() {
        let (_dir, roots, _) = world("a.c", "int total_size(void) { return 1; }\n");
        let instead = FallbackReason::beside_server(Instant::now() + Duration::from_secs(600));
        let (c, name) = (language("c"), Name::parse_known("total_size", language("c")).unwrap());
        let found = look(&roots, c, &roots.search_scope(), &name, &instead);
        assert_eq!(found.total, 1);
        assert!(found.completeness.reasons().contains(&Reason::PartsOfNames {}), "{:?}", found.completeness);
    }

    #[test]
    fn a_file_that_the_index_could_not_read_is_a_gap() {
        let (_dir, roots, path) = world("a.rs", "pub fn total_size() {}\n");
        let text = Text::read(&path).unwrap();
        let symbols = Arc::new(FileSymbols::of_text(language_of(&path).unwrap(), &text));
        let unreadable = vec![path.with_file_name("b.rs")];
        let index = FolderSymbols { files: [(path, symbols)].into(), unreadable };
        let instead = FallbackReason::beside_server(Instant::now() + Duration::from_secs(600));
        let name = Name::parse_known("size", language("rust")).unwrap();
        let found = in_index(&roots, language("rust"), &index, &name, &instead).unwrap();
        assert_eq!(found.total, 1);
        assert!(found.completeness.reasons().contains(&Reason::FilesUnread {}), "{:?}", found.completeness);
    }
}
