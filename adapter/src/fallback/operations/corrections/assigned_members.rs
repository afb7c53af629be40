//! Members that are declared by assignment, `this.count = 0`: servers treat each assignment as a declaration.

use std::path::PathBuf;

use ide_protocol::Operation;

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::lookup::mentions::declared;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::ids;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "assigned-members", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[
        Operation::Definitions,
        Operation::References,
        Operation::Callers,
        Operation::Implementations,
    ],
    why: "tsc 7.0 treats every `this.count = …` in JavaScript as a declaration and leaves it out of the \
          references; Python servers return every assignment of a local variable as a definition",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// Returns `true` for a server that leaves assignments out of the references.
pub(crate) fn is_concerned(asking: &QueryContext) -> bool {
    asking.server.setup.language.id == ids::TYPESCRIPT
}

/// Adds the assignments of the symbol.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    if is_concerned(query.asking()) {
        uses.extents.extend(assignments(query.asking(), query.subject).await?);
    }
    Ok(())
}

/// Returns the assignments of a symbol that the server leaves out because it treats them as declarations.
pub(crate) async fn assignments(
    asking: &QueryContext,
    subject: &Subject,
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    let declared: Vec<_> = declared(asking, &subject.path, subject.point).await?.into_iter().collect();
    Ok(writing(asking, &declared).await)
}

/// Removes definitions that only assign a symbol again after its first definition.
pub(crate) async fn first(asking: &QueryContext, mut definitions: Vec<Candidate>) -> Vec<Candidate> {
    if !SCOPE.applies(asking) {
        return definitions;
    }
    definitions.sort_by(|a, b| (&a.path, a.name_at).cmp(&(&b.path, b.name_at)));
    let places: Vec<_> = definitions.iter().map(|it| (it.path.clone(), it.name_at)).collect();
    let writing = writing(asking, &places).await;
    definitions.retain(|it| !writing.contains(&(it.path.clone(), it.name_at)));
    definitions
}

/// Returns the places that only write the symbol. The first place is its definition and never among them.
async fn writing(asking: &QueryContext, places: &[(PathBuf, Extent)]) -> Vec<(PathBuf, Extent)> {
    let later = places.iter().skip(1);
    file_syntax::with_role(asking, later, "write").await.into_iter().cloned().collect()
}
