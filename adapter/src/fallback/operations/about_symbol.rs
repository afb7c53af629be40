//! Queries about one symbol.

use ide_protocol::{IdeError, Target};

use super::definitions::only_symbol::only_symbol;
use super::dispatch::{ask, language_of};
use super::handler::Call;
use super::server_query::ServerQuery;
use crate::fallback::session::completeness::Qualified;

/// Asks about the symbol at a place, or about the only one with a name. The note of an answer about a name
/// tells also how the symbol was found.
///
/// # Errors
/// No symbol or several have the name, or [`ask`] fails.
pub(crate) async fn about_symbol<Q: ServerQuery>(
    call: &Call,
    target: Target,
    query: impl FnOnce(Target) -> Q,
) -> Result<Q::Answer, IdeError> {
    let (target, found) = match target.at {
        Some(_) => (target, None),
        None => only_symbol(call, target).await.map(|(target, found)| (target, Some(found)))?,
    };
    let at = target.at.as_ref().expect("a symbol was found at a place");
    let language = language_of(&call.session, &at.path)?;
    let answer = ask(call, language, &query(target)).await?;
    Ok(match found {
        Some(found) => answer.of_found(found),
        None => answer,
    })
}
