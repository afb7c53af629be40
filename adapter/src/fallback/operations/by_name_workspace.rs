//! A name without a place: every language that may know it is asked, and what they say becomes one answer.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use futures::future::join_all;
use ide_protocol::{
    Completeness, Definition, DefinitionsResult, DescriptionResult, DiagnosticsResult, ErrorCode, IdeError,
    Location, Navigation, ReferencesQuestion, ReferencesResult, Source, SymbolsQuestion, SymbolsResult,
    Target,
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
use crate::fallback::workspace::session_folders::SessionPath;
use crate::fallback::workspace::word_scan::WordOccurrences;
use crate::fallback::workspace::{walk, word_scan};

/// How many languages are asked about a name that none of their files mentions.
const UNMENTIONED: usize = 2;

/// What one language said.
struct Said {
    language: &'static Language,
    answer: Result<ServerDefinitions, IdeError>,
    /// Lines of it that read as a definition of the name; looked for where there is no answer.
    declared: Vec<String>,
}

/// Where a name is defined, in any language.
///
/// # Errors
/// No language that may know it can answer.
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
    match merge(join_all(all).await) {
        Some(answer) => answer,
        None => Err(session.no_language().await),
    }
}

/// Where the one symbol of a name is used.
///
/// # Errors
/// There is none or several, or nobody can answer.
pub(crate) async fn references(
    session: &Session,
    request: ReferencesQuestion,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<ReferencesResult, IdeError> {
    let (target, found) = one(session, request.target.clone(), within, on_progress).await?;
    let language = dispatch::language_of(&target.at.as_ref().expect("it was found there").path)?;
    let request = ReferencesQuestion { target, ..request };
    let answer = dispatch::references(session, language, request, within, on_progress).await?;
    Ok(answer.of_found(found))
}

/// Where the one symbol of a name leads.
///
/// # Errors
/// There is none or several, or nobody can answer.
pub(crate) async fn navigation(
    session: &Session,
    way: Navigation,
    target: Target,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<DefinitionsResult, IdeError> {
    let (target, found) = one(session, target, within, on_progress).await?;
    let language = dispatch::language_of(&target.at.as_ref().expect("it was found there").path)?;
    let answer = dispatch::navigation(session, language, way, target, within, on_progress).await?;
    Ok(answer.of_found(found))
}

/// What the one symbol of a name is.
///
/// # Errors
/// There is none or several, or nobody can answer.
pub(crate) async fn description(
    session: &Session,
    target: Target,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<DescriptionResult, IdeError> {
    let (target, found) = one(session, target, within, on_progress).await?;
    let language = dispatch::language_of(&target.at.as_ref().expect("it was found there").path)?;
    let answer = dispatch::description(session, language, target, within, on_progress).await?;
    Ok(answer.of_found(found))
}

/// Which symbols have a name like this, in any language.
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
    let languages = languages_at(session, place.as_ref()).await?;
    let all = languages.iter().map(async |language| {
        (*language, dispatch::symbols(session, language, &request, within, on_progress).await)
    });
    let (answers, failures) = parted(session, join_all(all).await).await?;
    let mut result = together_symbols(answers, &request.query);
    for (language, error) in failures {
        // A language in which nothing reads like it has nothing to add.
        if seems_to_define(session, language, &request.query, within).await {
            result.completeness.complete = false;
            let note = format!("{} is not answered: {}", language.name, error.message);
            result.completeness.note = joined(result.completeness.note.into_iter().chain([note]).collect());
        }
    }
    Ok(result)
}

/// What is wrong with a file, with those of a folder, or with all of the workspace.
///
/// # Errors
/// There is no such path, or no language can answer.
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

/// The files of a language at a place, or in all folders of the session.
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

/// The language of a file; of all else, those of the session in which code is written.
///
/// # Errors
/// The file's language is not known.
async fn languages_at(
    session: &Session,
    place: Option<&SessionPath>,
) -> Result<Vec<&'static Language>, IdeError> {
    match place.filter(|it| it.path.is_file()) {
        Some(file) => Ok(vec![dispatch::language_of(&file.spelling)?]),
        None => Ok(session.languages().await.into_iter().filter(|it| it.is_code).collect()),
    }
}

/// What was answered, and by whom it was not.
///
/// # Errors
/// Nobody answered.
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

/// The one symbol of a name, pinned to where it is defined, and how it was found.
///
/// # Errors
/// There is none or several, or nobody can answer.
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

/// The languages to ask: those that mention the name, else the largest; and where it is mentioned.
async fn languages(
    session: &Session,
    written: &str,
    within: Deadlines,
) -> (Vec<&'static Language>, Option<Arc<WordOccurrences>>) {
    let word = |languages: &[&Language]| {
        let words = languages.iter().filter(|it| it.is_code).filter_map(|it| Name::parse(written, it));
        // Where one language takes a mark for a part of the name, as Ruby that of `run!`, the word stands there as well.
        words.map(|it| syntax::written(&it.last).to_owned()).min_by_key(String::len)
    };
    let (tree, until) = (session.roots.search_scope(), syntactic::search_deadline(within.deadline));
    let scan = |word: String| {
        let tree = tree.clone();
        blocking::spawn(move || Arc::new(WordOccurrences::find(&tree, &word, until)))
    };
    // It mostly is the same word in all languages, so that nobody has to know which are there.
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
        return (all, None); // it says what is wrong with the name
    };
    if mentions.is_none() {
        mentions = Some(scan(word).await);
    }
    let mentioning = mentions.as_ref().map(|it| it.languages()).unwrap_or_default();
    let is_mentioning = |it: &Language| mentioning.iter().any(|other| other.id == it.id);
    if !mentioning.is_empty() {
        // Those that came after the folders were looked at stand last.
        let new: Vec<_> =
            mentioning.iter().filter(|it| !all.iter().any(|old| old.id == it.id)).copied().collect();
        all.retain(|it| is_mentioning(it));
        all.extend(new);
        return (all, mentions);
    }
    // It may stand in a dependency, or a macro may make it.
    all.truncate(UNMENTIONED);
    (all, mentions)
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
    // The deadline may have passed: then a moment is spent on this all the same.
    let until = within.deadline.max(Instant::now() + std::time::Duration::from_millis(500));
    let scan = blocking::spawn(move || word_scan::declarations(language, &tree, &word, until));
    let lines = scan.await.lines;
    let places = lines.iter().flat_map(|(path, lines)| lines.iter().map(move |line| (path, line + 1)));
    places.take(5).map(|(path, line)| format!("{}:{line}", session.roots.display_path(path))).collect()
}

/// One answer of several; `None` when nobody was asked.
fn merge(said: Vec<Said>) -> Option<Result<DefinitionsResult, IdeError>> {
    let (mut answers, mut failures) = (Vec::new(), Vec::new());
    for it in said {
        match it.answer {
            Ok(answer) => answers.push(answer),
            Err(error) => failures.push((it.language, error, it.declared)),
        }
    }
    // A language that seems to define it matters more than one that only mentions it.
    failures.sort_by_key(|(_, _, declared)| declared.is_empty());
    if answers.is_empty() {
        return failures.into_iter().next().map(|(_, error, _)| Err(error));
    }
    let is_found = |it: &ServerDefinitions| !it.is_near && !it.result.definitions.is_empty();
    if answers.iter().any(is_found) {
        // That the syntax of another language knows nothing of it takes nothing from what was found.
        let is_silent = |it: &ServerDefinitions| {
            let DefinitionsResult { completeness, definitions, nearest } = &it.result;
            completeness.source.0 == "syntax" && definitions.is_empty() && nearest.is_empty()
        };
        answers.retain(|it| !it.is_near || !it.result.completeness.complete && !is_silent(it));
        let near = answers.iter_mut().filter(|it| it.is_near);
        near.for_each(|it| it.result.definitions.clear());
    }
    let mut result = together(answers.into_iter().map(|it| it.result).collect());
    let mut notes: Vec<_> = result.completeness.note.take().into_iter().collect();
    for (language, error, declared) in failures {
        // Without its server nobody knows, but nothing speaks for it either.
        if declared.is_empty() && error.kind == ErrorCode::Unavailable
            || error.kind == ErrorCode::InvalidRequest
        {
            continue;
        }
        result.completeness.complete = false;
        let places = if declared.is_empty() { String::new() } else { format!(" ({})", declared.join(", ")) };
        notes.push(format!("{}{places} is not answered: {}", language.name, error.message));
    }
    result.completeness.note = joined(notes);
    Some(Ok(result))
}

fn together(results: Vec<DefinitionsResult>) -> DefinitionsResult {
    let mut sources: Vec<_> = results.iter().filter(|it| !it.definitions.is_empty()).collect();
    if sources.is_empty() {
        sources = results.iter().collect();
    }
    let sources = distinct(sources.iter().map(|it| it.completeness.source.0.clone()));
    let complete = results.iter().all(|it| it.completeness.complete);
    let notes = distinct(results.iter().filter_map(|it| it.completeness.note.clone()));
    let (mut definitions, mut nearest) = (Vec::new(), Vec::new());
    for result in results {
        definitions.extend(result.definitions);
        nearest.extend(result.nearest.into_iter().filter(|it| !nearest.contains(it)).collect::<Vec<_>>());
    }
    let place = |it: &Definition| (it.name_at.external, it.name_at.path.clone(), it.name_at.start);
    definitions.sort_by_cached_key(place);
    if !definitions.is_empty() {
        nearest.clear();
    }
    DefinitionsResult {
        completeness: Completeness { complete, source: Source(sources.join(", ")), note: joined(notes) },
        definitions,
        nearest,
    }
}

/// Each once, in their order.
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
