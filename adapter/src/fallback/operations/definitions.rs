//! Where a symbol is defined: by its name, at a place, or by its name near a place.

use crate::fallback::syntactic::candidate::ServerDefinitions;
use ide_protocol::{Definition, DefinitionsResult, ErrorCode, IdeError, Point, Source, Target};

use super::by_name::by_name;
use super::by_place::{at_place, pinned};
use super::candidate::{Answer, write};
use crate::fallback::session::query_context::{Asking, Problem};
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::workspace::session_folders::SessionFolders;

/// Answers.
pub(crate) async fn definitions(
    asking: &Asking,
    roots: &SessionFolders,
    target: &Target,
) -> Result<ServerDefinitions, Problem> {
    let answer = find(asking, roots, target).await?;
    let is_near = answer.is_near;
    Ok(ServerDefinitions { result: result(asking, roots, answer).await?, is_near })
}

/// What was found as the agent reads it, in order.
pub(super) async fn result(
    asking: &Asking,
    roots: &SessionFolders,
    answer: Answer,
) -> Result<DefinitionsResult, Problem> {
    let mut definitions = Vec::new();
    for candidate in &answer.candidates {
        roots.allow_named(&candidate.path);
        definitions.push(write(asking, roots, candidate).await);
    }
    definitions.sort_by(|a, b| place_of(a).cmp(&place_of(b)));
    asking.check_unmoved().await?;
    Ok(DefinitionsResult {
        complete: !answer.incomplete,
        source: Source(format!("language-server:{}", asking.server.name())),
        note: (!answer.notes.is_empty()).then(|| answer.notes.join("; ")),
        definitions,
        nearest: answer.nearest,
    })
}

/// The workspace's own come first.
fn place_of(definition: &Definition) -> (bool, &str, Point) {
    (definition.name_at.external, &definition.name_at.path, definition.name_at.start)
}

async fn find(asking: &Asking, roots: &SessionFolders, target: &Target) -> Result<Answer, Problem> {
    match (&target.name, &target.at) {
        (None, None) => {
            Err(IdeError::new(ErrorCode::InvalidRequest, "neither a name nor a place is given").into())
        }
        (Some(name), None) => by_name(asking, roots, &read(asking, name, Name::parse)?).await,
        (None, Some(at)) => at_place(asking, roots, at).await,
        (Some(name), Some(at)) => pinned(asking, roots, &read(asking, name, Name::parse_known)?, at).await,
    }
}

/// The name that somebody wrote.
///
/// # Errors
/// It cannot be one.
pub(super) fn read(
    asking: &Asking,
    name: &str,
    as_name: impl Fn(&str, &Language) -> Option<Name>,
) -> Result<Name, IdeError> {
    let language = asking.server.setup.language;
    as_name(name, language).ok_or_else(|| {
        let error = IdeError::new(
            ErrorCode::InvalidRequest,
            format!("`{name}` is no name of a {} symbol", language.name),
        );
        let raw = name.rsplit(language.separator).next().map(|it| format!("r#{it}"));
        match raw.filter(|it| language.id == "rust" && Name::parse(it, language).is_some()) {
            Some(raw) => error.recovery(format!("What is called as a keyword is asked for by `{raw}`.")),
            None => error
                .recovery("Give a symbol's name, such as `User` or `auth::User`; `search` finds any text."),
        }
    })
}
