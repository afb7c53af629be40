//! The definitions of a name in several languages, merged.

use ide_protocol::{
    Completeness, Definition, DefinitionsResult, ErrorCode, IdeError, Location, Reason, Source,
};

use crate::fallback::source::languages::Language;
use crate::fallback::syntactic::candidate::ServerDefinitions;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The answer of one language.
pub(crate) struct LanguageAnswer {
    pub(crate) language: &'static Language,
    pub(crate) answer: Result<ServerDefinitions, IdeError>,
    /// Places that read as a definition of the name; searched only if the query failed.
    pub(crate) declared: Vec<Location>,
}

/// Merges the answers of several languages; `None` if no language was queried.
pub(crate) fn merge(
    roots: &SessionFolders,
    all: Vec<LanguageAnswer>,
) -> Option<Result<DefinitionsResult, IdeError>> {
    let (mut answers, mut failures) = (Vec::new(), Vec::new());
    for it in all {
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
            let DefinitionsResult { completeness, definitions, nearest, .. } = &it.result;
            completeness.source.0 == "syntax" && definitions.is_empty() && nearest.is_empty()
        };
        answers.retain(|it| !it.is_near || !it.result.completeness.is_complete() && !is_silent(it));
        let near = answers.iter_mut().filter(|it| it.is_near);
        near.for_each(|it| it.result.definitions.clear());
    }
    let mut result = together(roots, answers.into_iter().map(|it| it.result).collect());
    for (language, error, places) in failures {
        // Without a server nothing is known, but no line suggests a definition either.
        if places.is_empty() && error.kind == ErrorCode::Unavailable
            || error.kind == ErrorCode::InvalidRequest
        {
            continue;
        }
        let (language, message) = (language.name.to_owned(), error.message);
        result.completeness.extend([Reason::NotAnswered { language, places, message }]);
    }
    Some(Ok(result))
}

fn together(roots: &SessionFolders, results: Vec<DefinitionsResult>) -> DefinitionsResult {
    let mut sources: Vec<_> = results.iter().filter(|it| !it.definitions.is_empty()).collect();
    if sources.is_empty() {
        sources = results.iter().collect();
    }
    let sources = distinct(sources.iter().map(|it| it.completeness.source.0.clone()));
    let completeness =
        Completeness::merged(Source(sources.join(", ")), results.iter().map(|it| &it.completeness));
    let (mut definitions, mut nearest) = (Vec::new(), Vec::new());
    for result in results {
        definitions.extend(result.definitions);
        nearest.extend(result.nearest.into_iter().filter(|it| !nearest.contains(it)).collect::<Vec<_>>());
    }
    let place = |it: &Definition| {
        let is_hidden = roots.is_hidden(&it.name_at.path);
        (it.name_at.external, is_hidden, it.name_at.path.clone(), it.name_at.start)
    };
    definitions.sort_by_cached_key(place);
    if !definitions.is_empty() {
        nearest.clear();
    }
    DefinitionsResult { completeness, definitions, nearest, references: None }
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
