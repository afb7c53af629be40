//! Where a symbol is defined: by its name, at a place, or by its name near a place.

pub(crate) mod by_name;
pub(crate) mod by_place;
pub(crate) mod dependencies;
pub(crate) mod inherited_members;
pub(crate) mod python_modules;

use super::lookup::candidates::{Answer, write};
use crate::fallback::operations::lookup::target::read;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::names::Name;
use crate::fallback::syntactic::candidate::Defined;
use crate::fallback::workspace::session_folders::Roots;
use by_name::by_name;
use by_place::{at_place, pinned};
use ide_protocol::{Definition, DefinitionsResult, ErrorCode, IdeError, Point, Source, Target};

/// Answers.
pub(crate) async fn definitions(
    asking: &QueryContext,
    roots: &Roots,
    target: &Target,
) -> Result<Defined, Problem> {
    let answer = find(asking, roots, target).await?;
    let is_near = answer.is_near;
    Ok(Defined { result: result(asking, roots, answer).await?, is_near })
}

/// What was found as the agent reads it, in order.
pub(crate) async fn result(
    asking: &QueryContext,
    roots: &Roots,
    answer: Answer,
) -> Result<DefinitionsResult, Problem> {
    let mut definitions = Vec::new();
    for candidate in &answer.candidates {
        roots.remember(&candidate.path);
        definitions.push(write(asking, roots, candidate).await);
    }
    definitions.sort_by(|a, b| place_of(a).cmp(&place_of(b)));
    asking.check_unchanged().await?;
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

async fn find(asking: &QueryContext, roots: &Roots, target: &Target) -> Result<Answer, Problem> {
    match (&target.name, &target.at) {
        (None, None) => {
            Err(IdeError::new(ErrorCode::InvalidRequest, "neither a name nor a place is given").into())
        }
        (Some(name), None) => by_name(asking, roots, &read(asking, name, Name::parse)?).await,
        (None, Some(at)) => at_place(asking, roots, at).await,
        (Some(name), Some(at)) => pinned(asking, roots, &read(asking, name, Name::told)?, at).await,
    }
}
