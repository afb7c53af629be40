//! The definitions of a name from the syntax of the files.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_protocol::{Definition, DefinitionsResult, Location, Reason, Target};

use super::candidate::{ServerDefinitions, by_rank};
use super::fallback_reason::FallbackReason;
use super::found_definition::FoundDefinition;
use super::sources::ParsedFiles;
use crate::blocking;
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::workspace::index::FolderSymbols;
use crate::fallback::workspace::index::file_symbols::is_declared;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::WordOccurrences;

/// The definitions that were found.
struct FoundDefinitions {
    definitions: Vec<Definition>,
    nearest: Vec<String>,
    /// The restriction that the answer must mention.
    remark: Option<Reason>,
    /// The definitions that the name alone does not mean.
    lesser: Vec<Reason>,
    /// `true` if files that were not searched may contain more.
    is_cut: bool,
    /// `true` if a server would find the same definition; see [`is_plain`].
    is_plain: bool,
}

/// Finds the definitions of a target; `None` without a grammar, or if there is nothing to say about a place.
pub(crate) async fn definitions(
    roots: &Arc<SessionFolders>,
    language: &'static Language,
    target: &Target,
    mentions: Option<Arc<WordOccurrences>>,
    instead: &FallbackReason,
) -> Option<ServerDefinitions> {
    if !language.has_syntax() {
        return None;
    }
    let is_by_name = target.at.is_none();
    let (roots, target, until) = (Arc::clone(roots), target.clone(), instead.until);
    let looking = blocking::spawn(move || {
        let found = look(
            &mut ParsedFiles::new(&roots, language, until).with_occurrences(mentions).for_names(),
            &target,
        );
        // Similar queries are likely to follow.
        roots.start_indexing();
        found
    });
    let FoundDefinitions { definitions, nearest, remark, lesser, is_cut, is_plain } = looking.await;
    if !is_by_name && definitions.is_empty() && remark.is_none() {
        return None;
    }
    let is_near = definitions.is_empty() || remark.is_some();
    if instead.is_early && (is_near || is_cut || !is_plain) {
        return None;
    }
    let unseen = Reason::UnseenCode { why: instead.why.clone() };
    let cut = is_cut.then_some(Reason::NamedFilesCut {});
    let completeness = instead.completeness([unseen].into_iter().chain(cut).chain(remark).chain(lesser));
    let result = DefinitionsResult { completeness, definitions, nearest, references: None };
    Some(ServerDefinitions { result, is_near })
}

fn look(sources: &mut ParsedFiles<'_>, target: &Target) -> FoundDefinitions {
    let found = sources.resolve_target(target);
    // As where a server answers.
    let (found, lesser) = match Name::of_target(target, sources.language) {
        Some(name) if target.at.is_none() => by_rank(sources.roots, &name.last, found, |it| &it.candidate),
        _ => (found, Vec::new()),
    };
    let definitions = sources.write_all(&found);
    let is_plain = is_plain(&found, target);
    let nearest = match (&target.at, definitions.is_empty()) {
        (None, true) => nearest(sources, target),
        _ => Vec::new(),
    };
    let remark =
        if definitions.is_empty() { nothing_there(sources, target) } else { elsewhere(sources, target) };
    FoundDefinitions { definitions, nearest, remark, lesser, is_cut: sources.is_cut, is_plain }
}

/// Returns `true` if a server would find the same definition. What stands in a macro, servers find where the macro is
/// used; of several definitions, a server may know that a condition leaves one out; and the definition of a use is only
/// guessed by its name.
fn is_plain(found: &[FoundDefinition], target: &Target) -> bool {
    let [one] = found else { return false };
    let around = one.source.outline.around(one.definition());
    target.at.as_ref().is_none_or(|at| one.begins_at(at))
        && around.iter().all(|it| it.kind != syntax::Kind::Macro)
}

/// Returns a remark if no name stands at a place of a known file.
fn nothing_there(sources: &mut ParsedFiles<'_>, target: &Target) -> Option<Reason> {
    let at = target.at.as_ref().filter(|_| target.name.is_none())?;
    let path = sources.roots.resolve(&at.path).ok()?.path;
    let source = sources.source(&path)?;
    // No name stands beyond the text either.
    let line = source.text.line(at.line.index()).unwrap_or_default();
    let word = at.column.and_then(|column| sources.language.word_at(line, column.index()));
    let is_name = word.is_some_and(|(word, columns)| sources.language.is_name_in(line, &word, &columns));
    let place = || Location { column: None, ..at.clone() };
    (!is_name).then(|| Reason::NoNameThere { place: place() })
}

/// Returns a remark if the definitions fit only a part of the qualifiers.
fn elsewhere(sources: &ParsedFiles<'_>, target: &Target) -> Option<Reason> {
    let Name { path, last } = Name::of_target(target, sources.language)?;
    let kept = &sources.qualified_by;
    if target.at.is_some() || kept.len() == path.len() {
        return None;
    }
    let separator = sources.language.separator;
    let found = (!kept.is_empty()).then(|| kept.join(separator));
    // The qualifier of a definition need not be written in its file.
    Some(Reason::OtherQualifier { name: last, qualifier: path.join(separator), found })
}

/// Returns declared names that are similar to a missing one.
fn nearest(sources: &ParsedFiles<'_>, target: &Target) -> Vec<String> {
    let name = Name::of_target(target, sources.language);
    let Some(Name { last, .. }) = name else { return Vec::new() };
    let mut names: BTreeSet<_> = match sources.symbols() {
        Some(symbols) => declared_names_of(symbols),
        None => word_scan::declared_names(sources.language, &sources.roots.search_scope(), sources.until),
    };
    names.remove(&last);
    word_scan::nearest(&last, names)
}

/// Returns the names of declarations, without fields and variables.
fn declared_names_of(symbols: &FolderSymbols) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in symbols.files.values() {
        for (name, _) in
            file.kinds().filter(|(_, kind)| is_declared(*kind) && *kind != syntax::Kind::Extension)
        {
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
        }
    }
    names
}
