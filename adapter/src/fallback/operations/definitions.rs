//! Finds the definitions of a symbol: by name, by place, or by name near a place.

pub(crate) mod by_name;
pub(crate) mod by_place;
pub(crate) mod dependencies;
pub(crate) mod inherited_members;
pub(crate) mod python_modules;

use by_name::by_name;
use by_place::{at_place, pinned};
use ide_protocol::{Completeness, DefinitionsResult, ErrorCode, IdeError, Source, Target};

use super::lookup::candidates::{Answer, write};
use crate::fallback::operations::lookup::target::read;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::names::Name;
use crate::fallback::syntactic::candidate::ServerDefinitions;
use crate::fallback::workspace::session_folders::SessionFolders;

/// Finds the definitions that a target means.
pub(crate) async fn definitions(
    asking: &QueryContext,
    roots: &SessionFolders,
    target: &Target,
) -> Result<ServerDefinitions, Problem> {
    let answer = find(asking, roots, target).await?;
    let is_near = answer.is_near;
    Ok(ServerDefinitions { result: result(asking, roots, answer).await?, is_near })
}

/// Converts the candidates to the protocol's definitions, sorted: those of the workspace first, and those of its copies
/// last.
pub(crate) async fn result(
    asking: &QueryContext,
    roots: &SessionFolders,
    answer: Answer,
) -> Result<DefinitionsResult, Problem> {
    let mut definitions = Vec::new();
    for candidate in &answer.candidates {
        roots.allow_named(&candidate.path);
        definitions.push(write(asking, roots, candidate).await);
    }
    definitions.sort_by_cached_key(|it| {
        let is_copy = roots.is_in_copy(&it.name_at.path);
        (it.name_at.external, is_copy, it.name_at.path.clone(), it.name_at.start)
    });
    asking.check_unchanged().await?;
    Ok(DefinitionsResult {
        completeness: Completeness {
            complete: !answer.incomplete,
            source: Source(format!("language-server:{}", asking.server.name())),
            note: (!answer.notes.is_empty()).then(|| answer.notes.join("; ")),
            gap: None,
        },
        definitions,
        nearest: answer.nearest,
    })
}

async fn find(asking: &QueryContext, roots: &SessionFolders, target: &Target) -> Result<Answer, Problem> {
    match (&target.name, &target.at) {
        (None, None) => {
            Err(IdeError::new(ErrorCode::InvalidRequest, "neither a name nor a place is given").into())
        }
        (Some(name), None) => by_name(asking, roots, &read(asking, name, Name::parse)?).await,
        (None, Some(at)) => at_place(asking, roots, at).await,
        (Some(name), Some(at)) => pinned(asking, roots, &read(asking, name, Name::parse_known)?, at).await,
    }
}
