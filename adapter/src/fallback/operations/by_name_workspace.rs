//! Answers questions about a name without a place: queries each language that may know it and merges the
//! answers.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use futures::future::join_all;
use ide_protocol::{
    Completeness, Definition, DefinitionsResult, DescriptionResult, DiagnosticsResult, ErrorCode, Gap,
    IdeError, Location, Navigation, ReferencesQuestion, ReferencesResult, Source, SymbolsQuestion,
    SymbolsResult, Target,
};

use super::symbols::together as together_symbols;
use super::{diagnostics, dispatch};
use crate::blocking;
use crate::fallback::session::Session;
use crate::fallback::session::completeness::Qualified;
use crate::fallback::source::deadlines::{Deadlines, OnProgress};
use crate::fallback::source::languages::{LANGUAGES, Language};
use crate::fallback::source::names::Name;
use crate::fallback::syntactic;
use crate::fallback::syntactic::candidate::ServerDefinitions;
use crate::fallback::workspace::session_folders::{SessionFolders, SessionPath};
use crate::fallback::workspace::word_scan::WordOccurrences;
use crate::fallback::workspace::{walk, word_scan};

/// The maximum number of languages queried if none of their files mentions the name.
const UNMENTIONED: usize = 2;

/// The answer of one language.
struct Said {
    language: &'static Language,
    answer: Result<ServerDefinitions, IdeError>,
    /// Places that read as a definition of the name; searched only if the query failed.
    declared: Vec<String>,
}

/// Finds the definitions of a name, in any language.
///
/// # Errors
/// No language that may know the name can answer.
pub(crate) async fn definitions(
    session: &Session,
    target: &Arc<Target>,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<DefinitionsResult, IdeError> {
    let (languages, mentions) = languages(session, target.name.as_deref().unwrap_or_default(), within).await;
    let all = languages.into_iter().map(async |language| {
        let mentions = mentions.clone();
        let answer = dispatch::definitions(session, language, target, mentions, within, on_progress).await;
        let declared = match &answer {
            Ok(_) => Vec::new(),
            Err(_) => declared(session, language, target, within).await,
        };
        Said { language, answer, declared }
    });
    match merge(&session.roots, join_all(all).await) {
        Some(answer) => answer,
        None => Err(session.no_language().await),
    }
}

/// Finds the uses of the only symbol with a name.
///
/// # Errors
/// No symbol or several have the name, or no language can answer.
pub(crate) async fn references(
    session: &Session,
    request: ReferencesQuestion,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<ReferencesResult, IdeError> {
    let (target, found) = one(session, request.target.clone(), within, on_progress).await?;
    let language = dispatch::language_of(session, &target.at.as_ref().expect("it was found there").path)?;
    let request = ReferencesQuestion { target, ..request };
    let answer = dispatch::references(session, language, request, within, on_progress).await?;
    Ok(answer.of_found(found))
}

/// Navigates from the only symbol with a name.
///
/// # Errors
/// No symbol or several have the name, or no language can answer.
pub(crate) async fn navigation(
    session: &Session,
    way: Navigation,
    target: Target,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<DefinitionsResult, IdeError> {
    let (target, found) = one(session, target, within, on_progress).await?;
    let language = dispatch::language_of(session, &target.at.as_ref().expect("it was found there").path)?;
    let answer = dispatch::navigation(session, language, way, target, within, on_progress).await?;
    Ok(answer.of_found(found))
}

/// Describes the only symbol with a name.
///
/// # Errors
/// No symbol or several have the name, or no language can answer.
pub(crate) async fn description(
    session: &Session,
    target: Target,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<DescriptionResult, IdeError> {
    let (target, found) = one(session, target, within, on_progress).await?;
    let language = dispatch::language_of(session, &target.at.as_ref().expect("it was found there").path)?;
    let answer = dispatch::description(session, language, target, within, on_progress).await?;
    Ok(answer.of_found(found))
}

/// Finds symbols with similar names, in any language.
///
/// # Errors
/// No language can answer.
pub(crate) async fn symbols(
    session: &Session,
    request: SymbolsQuestion,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<SymbolsResult, IdeError> {
    let request = Arc::new(request);
    let place = request.path.as_deref().map(|it| session.roots.resolve(it)).transpose()?;
    let mut languages = languages_at(session, place.as_ref()).await?;
    if languages.len() > 1 {
        languages = able_to_define(session, languages, &request.query, within).await;
    }
    let all = languages.iter().map(async |language| {
        (*language, dispatch::symbols(session, language, &request, within, on_progress).await)
    });
    let (answers, failures) = parted(session, join_all(all).await).await?;
    let mut result = together_symbols(answers, &request.query);
    for (language, error) in failures {
        // A language in which no line reads as such a definition would add nothing.
        if seems_to_define(session, language, &request.query, within).await {
            result.completeness.complete = false;
            let note = format!("{} is not answered: {}", language.name, error.message);
            result.completeness.note = joined(result.completeness.note.into_iter().chain([note]).collect());
        }
    }
    Ok(result)
}

/// Collects the diagnostics of a file, of a folder or of the whole workspace.
///
/// # Errors
/// The path does not exist, or no language can answer.
pub(crate) async fn diagnostics(
    session: &Session,
    path: Option<String>,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<DiagnosticsResult, IdeError> {
    let place = path.as_deref().map(|it| session.roots.resolve(it)).transpose()?;
    let languages = languages_at(session, place.as_ref()).await?;
    let all = languages.iter().map(async |language| {
        let files = files_of(session, language, place.as_ref().map(|it| it.path.clone())).await;
        let count = files.len();
        if files.is_empty() {
            return None;
        }
        let answer = dispatch::diagnostics(session, language, files, within, on_progress).await;
        Some(((*language, count), answer))
    });
    let all = join_all(all).await.into_iter().flatten().collect();
    let (answers, failures) = parted(session, all).await?;
    let mut result = diagnostics::together(answers);
    for ((language, count), error) in failures {
        result.completeness.complete = false;
        let note = format!("{count} {} files are not answered: {}", language.name, error.message);
        result.completeness.note = joined(result.completeness.note.into_iter().chain([note]).collect());
    }
    Ok(result)
}

/// Returns the files of a language at a place, or in all folders of the session.
async fn files_of(session: &Session, language: &'static Language, place: Option<PathBuf>) -> Vec<PathBuf> {
    let folders = session.roots.folders().to_vec();
    let files = blocking::spawn(move || match place {
        Some(file) if file.is_file() => vec![file],
        Some(folder) => {
            let root = folders.iter().find(|it| folder.starts_with(it)).unwrap_or(&folder).clone();
            walk::files(language, &folder, &root)
        }
        None => walk::outermost(&folders).flat_map(|it| walk::files(language, it, it)).collect(),
    });
    files.await
}

/// Returns the language of a file; for folders and the workspace, the session's programming languages.
///
/// # Errors
/// The file's language is not known.
async fn languages_at(
    session: &Session,
    place: Option<&SessionPath>,
) -> Result<Vec<&'static Language>, IdeError> {
    match place.filter(|it| it.path.is_file()) {
        Some(file) => Ok(vec![dispatch::language_of(session, &file.spelling)?]),
        None => Ok(session.languages().await.into_iter().filter(|it| it.is_code).collect()),
    }
}

/// Separates the answers from the failures.
///
/// # Errors
/// There are no answers.
async fn parted<T, Asked>(
    session: &Session,
    all: Vec<(Asked, Result<T, IdeError>)>,
) -> Result<(Vec<T>, Vec<(Asked, IdeError)>), IdeError> {
    let (mut answers, mut failures) = (Vec::new(), Vec::new());
    for (asked, answer) in all {
        match answer {
            Ok(answer) => answers.push(answer),
            Err(error) => failures.push((asked, error)),
        }
    }
    if !answers.is_empty() {
        return Ok((answers, failures));
    }
    match failures.into_iter().next() {
        Some((_, error)) => Err(error),
        None => Err(session.no_language().await),
    }
}

/// Leaves out the languages whose servers load, and whose files have no line that reads as such a definition.
async fn able_to_define(
    session: &Session,
    languages: Vec<&'static Language>,
    query: &str,
    within: Deadlines,
) -> Vec<&'static Language> {
    let mut able = HashSet::new();
    for language in &languages {
        let is_open = !language.given.is_empty() || !session.is_loading(language);
        if is_open || seems_to_define(session, language, query, within).await {
            able.insert(language.id);
        }
    }
    concerned(languages, |it| able.contains(it.id))
}

async fn seems_to_define(
    session: &Session,
    language: &'static Language,
    query: &str,
    within: Deadlines,
) -> bool {
    let Some(word) = Name::parse_known(query, language).map(|it| it.last) else { return true };
    let tree = session.roots.search_scope();
    let scan = blocking::spawn(move || word_scan::declared_like(language, &tree, &word, within.deadline));
    !scan.await.is_empty()
}

/// Resolves a name to its only symbol, pinned to its definition; also returns the definitions found.
///
/// # Errors
/// No symbol or several have the name, or no language can answer.
pub(crate) async fn one(
    session: &Session,
    target: Target,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<(Target, DefinitionsResult), IdeError> {
    let name = target.name.clone().unwrap_or_default();
    let found = definitions(session, &Arc::new(target), within, on_progress).await?;
    let definition = match found.definitions.as_slice() {
        [one] => one,
        [] => return Err(unknown(&name, &found)),
        several => {
            let message = format!("{} symbols are called `{name}`: say which, by its place", several.len());
            return Err(IdeError::new(ErrorCode::InvalidRequest, message));
        }
    };
    let (path, start) = (definition.name_at.path.clone(), definition.name_at.start);
    let at = Location { path, line: start.line, column: Some(start.column) };
    Ok((Target { name: Some(definition.name.clone()), at: Some(at) }, found))
}

fn unknown(name: &str, found: &DefinitionsResult) -> IdeError {
    if !found.completeness.complete {
        let why = found.completeness.note.as_deref().unwrap_or("not everything could be looked at");
        let message = format!("nothing called `{name}` is known yet: {why}");
        return IdeError::new(ErrorCode::NotReady, message);
    }
    let error = IdeError::new(ErrorCode::NotFound, format!("nothing is called `{name}`"));
    let near: Vec<_> = found.nearest.iter().take(5).map(|it| format!("`{it}`")).collect();
    if near.is_empty() { error } else { error.recovery(format!("There are {}.", near.join(", "))) }
}

/// Returns the languages that mention the name, or otherwise the largest; also returns the mentions.
async fn languages(
    session: &Session,
    written: &str,
    within: Deadlines,
) -> (Vec<&'static Language>, Option<Arc<WordOccurrences>>) {
    let word = |languages: &[&Language]| {
        let words = languages.iter().filter(|it| it.is_code).filter_map(|it| Name::parse(written, it));
        // Languages differ in the marks that belong to a name (Ruby's `run!`); the shortest form occurs in all
        // of them.
        words.map(|it| syntax::written(&it.last).to_owned()).min_by_key(String::len)
    };
    let (tree, until) = (session.roots.search_scope(), syntactic::search_deadline(within.deadline));
    let scan = |word: String| {
        let tree = tree.clone();
        blocking::spawn(move || Arc::new(WordOccurrences::find(&tree, &word, until)))
    };
    // Usually all languages read it as the same word, so the scan need not wait for the list of languages.
    let every: Vec<_> = LANGUAGES.iter().collect();
    let words: BTreeSet<_> = every.iter().filter_map(|it| word(&[it])).collect();
    let mut mentions = match words.first().filter(|_| words.len() == 1) {
        Some(word) => Some(scan(word.clone()).await),
        None => None,
    };
    if let Some([language]) = mentions.as_ref().map(|it| it.languages()).as_deref()
        && Name::parse(written, language).is_some()
    {
        return (vec![language], mentions);
    }
    let mut all = session.languages().await;
    all.retain(|it| it.is_code);
    let Some(word) = word(&all) else {
        all.truncate(1);
        return (all, None); // its server reports the fault in the name
    };
    if mentions.is_none() {
        mentions = Some(scan(word).await);
    }
    let mentioning = mentions.as_ref().map(|it| it.languages()).unwrap_or_default();
    let is_mentioning = |it: &Language| mentioning.iter().any(|other| other.id == it.id);
    if !mentioning.is_empty() {
        // Languages that appeared after the folders were scanned come last.
        let new: Vec<_> =
            mentioning.iter().filter(|it| !all.iter().any(|old| old.id == it.id)).copied().collect();
        all.retain(|it| is_mentioning(it));
        all.extend(new);
        if let Some(mentions) = &mentions {
            all = concerned(all, |it| mentions.may_define(it));
        }
        return (all, mentions);
    }
    // The name may be defined in a dependency or by a macro.
    all.truncate(UNMENTIONED);
    (all, mentions)
}

/// Leaves out the languages that the name cannot concern: those that only mention it, and have no sources outside of the
/// workspace that could define it. Their servers may load for long. Keeps all if none is left.
fn concerned(
    languages: Vec<&'static Language>,
    may_define: impl Fn(&Language) -> bool,
) -> Vec<&'static Language> {
    let kept: Vec<_> =
        languages.iter().copied().filter(|it| !it.given.is_empty() || may_define(it)).collect();
    if kept.is_empty() { languages } else { kept }
}

async fn declared(
    session: &Session,
    language: &'static Language,
    target: &Target,
    within: Deadlines,
) -> Vec<String> {
    let name = Name::of_target(target, language);
    let Some(word) = name.map(|it| it.last) else { return Vec::new() };
    let tree = session.roots.search_scope();
    // The deadline may have passed; this scan gets at least half a second.
    let until = within.deadline.max(Instant::now() + std::time::Duration::from_millis(500));
    let scan = blocking::spawn(move || word_scan::declarations(language, &tree, &word, until));
    let lines = scan.await.lines;
    let places = lines.iter().flat_map(|(path, lines)| lines.iter().map(move |line| (path, line + 1)));
    places.take(5).map(|(path, line)| format!("{}:{line}", session.roots.display_path(path))).collect()
}

/// Merges the answers of several languages; `None` if no language was queried.
fn merge(roots: &SessionFolders, said: Vec<Said>) -> Option<Result<DefinitionsResult, IdeError>> {
    let (mut answers, mut failures) = (Vec::new(), Vec::new());
    for it in said {
        match it.answer {
            Ok(answer) => answers.push(answer),
            Err(error) => failures.push((it.language, error, it.declared)),
        }
    }
    // A language that seems to define the name takes precedence over one that only mentions it.
    failures.sort_by_key(|(_, _, declared)| declared.is_empty());
    if answers.is_empty() {
        return failures.into_iter().next().map(|(_, error, _)| Err(error));
    }
    let is_found = |it: &ServerDefinitions| !it.is_near && !it.result.definitions.is_empty();
    if answers.iter().any(is_found) {
        // An empty answer from another language's syntax does not make the result incomplete.
        let is_silent = |it: &ServerDefinitions| {
            let DefinitionsResult { completeness, definitions, nearest } = &it.result;
            completeness.source.0 == "syntax" && definitions.is_empty() && nearest.is_empty()
        };
        answers.retain(|it| !it.is_near || !it.result.completeness.complete && !is_silent(it));
        let near = answers.iter_mut().filter(|it| it.is_near);
        near.for_each(|it| it.result.definitions.clear());
    }
    let mut result = together(roots, answers.into_iter().map(|it| it.result).collect());
    let mut notes: Vec<_> = result.completeness.note.take().into_iter().collect();
    for (language, error, declared) in failures {
        // Without a server nothing is known, but no line suggests a definition either.
        if declared.is_empty() && error.kind == ErrorCode::Unavailable
            || error.kind == ErrorCode::InvalidRequest
        {
            continue;
        }
        result.completeness.complete = false;
        result.completeness.gap = result.completeness.gap.max(Some(Gap::Failed));
        let places = if declared.is_empty() { String::new() } else { format!(" ({})", declared.join(", ")) };
        notes.push(format!("{}{places} is not answered: {}", language.name, error.message));
    }
    result.completeness.note = joined(notes);
    Some(Ok(result))
}

fn together(roots: &SessionFolders, results: Vec<DefinitionsResult>) -> DefinitionsResult {
    let mut sources: Vec<_> = results.iter().filter(|it| !it.definitions.is_empty()).collect();
    if sources.is_empty() {
        sources = results.iter().collect();
    }
    let sources = distinct(sources.iter().map(|it| it.completeness.source.0.clone()));
    let complete = results.iter().all(|it| it.completeness.complete);
    let notes = distinct(results.iter().filter_map(|it| it.completeness.note.clone()));
    let gap = Gap::gravest(results.iter().map(|it| &it.completeness));
    let (mut definitions, mut nearest) = (Vec::new(), Vec::new());
    for result in results {
        definitions.extend(result.definitions);
        nearest.extend(result.nearest.into_iter().filter(|it| !nearest.contains(it)).collect::<Vec<_>>());
    }
    let place = |it: &Definition| {
        let is_copy = roots.is_in_copy(&it.name_at.path);
        (it.name_at.external, is_copy, it.name_at.path.clone(), it.name_at.start)
    };
    definitions.sort_by_cached_key(place);
    if !definitions.is_empty() {
        nearest.clear();
    }
    DefinitionsResult {
        completeness: Completeness { complete, source: Source(sources.join(", ")), note: joined(notes), gap },
        definitions,
        nearest,
    }
}

/// Removes duplicates and keeps the order.
fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    all.for_each(|it| {
        if !seen.contains(&it) {
            seen.push(it);
        }
    });
    seen
}

fn joined(notes: Vec<String>) -> Option<String> {
    (!notes.is_empty()).then(|| notes.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_without_sources_elsewhere_is_asked_only_where_it_may_define_the_name() {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("a.c", "int tune(void) { return 1; }\n"),
            ("b.py", "print(tune)\n"),
            ("run.sh", "echo tune\nhelp() { echo; }\n"),
            ("page.html", "<p>tune help</p>\n"),
        ] {
            std::fs::write(dir.path().join(file), text).unwrap();
        }
        let roots = crate::fallback::workspace::session_folders::SessionFolders::new(vec![dir.path().into()]);
        let asked = |word: &str| {
            let until = Instant::now() + std::time::Duration::from_secs(60);
            let mentions = WordOccurrences::find(&roots.search_scope(), word, until);
            let all = concerned(mentions.languages(), |it| mentions.may_define(it));
            all.iter().map(|it| it.id).collect::<Vec<_>>()
        };
        // Shell only mentions it; Python may have it from a package.
        assert_eq!(asked("tune"), ["python", "c"]);
        assert_eq!(asked("help"), ["shell"]);
        assert_eq!(asked("echo"), ["shell"]);
    }
}
