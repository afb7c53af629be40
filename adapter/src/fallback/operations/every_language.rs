//! Queries of the servers of several languages, and their answers merged.

use futures::future::join_all;
use ide_protocol::IdeError;

use super::dispatch::{ask, language_of};
use super::handler::Call;
use super::server_query::MergedQuery;
use crate::fallback::session::Session;
use crate::fallback::session::completeness::Qualified;
use crate::fallback::source::languages::Language;
use crate::fallback::workspace::session_folders::SessionPath;

/// Returns the language of a file; for folders and the workspace, the session's programming languages.
///
/// # Errors
/// The file's language is not known.
pub(crate) async fn languages_at(
    session: &Session,
    place: Option<&SessionPath>,
) -> Result<Vec<&'static Language>, IdeError> {
    match place.filter(|it| it.path.is_file()) {
        Some(file) => Ok(vec![language_of(session, &file.spelling)?]),
        None => Ok(session.languages().await.into_iter().filter(|it| it.is_code).collect()),
    }
}

/// Asks the server of each language, and merges the answers. Languages that failed are noted.
///
/// # Errors
/// No language answers; the error is the first one.
pub(crate) async fn ask_each<Q: MergedQuery>(
    call: &Call,
    queries: Vec<(&'static Language, Q)>,
) -> Result<Q::Answer, IdeError> {
    let all = join_all(queries.iter().map(|(language, query)| ask(call, language, query))).await;
    let (mut answers, mut failures) = (Vec::new(), Vec::new());
    for (answer, (language, query)) in all.into_iter().zip(&queries) {
        match answer {
            Ok(answer) => answers.push(answer),
            Err(error) => failures.push((*language, query, error)),
        }
    }
    let Some((_, query)) = queries.first() else { return Err(call.session.no_language().await) };
    if answers.is_empty() {
        let (.., error) = failures.swap_remove(0);
        return Err(error);
    }
    let mut result = query.merge(answers);
    for (language, query, error) in failures {
        result.standing().extend(query.not_answered(call, language, &error).await);
    }
    Ok(result)
}
