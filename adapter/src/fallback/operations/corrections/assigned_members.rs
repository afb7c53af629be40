//! What JavaScript declares by assigning it, `this.count = 0`: its server takes every such place for a declaration.

use std::path::PathBuf;

use crate::fallback::operations::lookup::mentions::declared;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::workspace::session_folders::Roots;

/// Where a symbol is written, among what the server leaves out as its declarations.
pub(crate) async fn again(
    asking: &QueryContext,
    roots: &Roots,
    subject: &Subject,
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    if asking.server.setup.language.id != "typescript" {
        return Ok(Vec::new());
    }
    let declared: Vec<_> = declared(asking, &subject.path, subject.point).await?.into_iter().collect();
    Ok(writing(asking, roots, &declared).await)
}

/// Without the definitions that only write what the first one defines.
pub(crate) async fn first(
    asking: &QueryContext,
    roots: &Roots,
    mut definitions: Vec<Candidate>,
) -> Vec<Candidate> {
    definitions.sort_by(|a, b| (&a.path, a.name_at).cmp(&(&b.path, b.name_at)));
    let places: Vec<_> = definitions.iter().map(|it| (it.path.clone(), it.name_at)).collect();
    let writing = writing(asking, roots, &places).await;
    definitions.retain(|it| !writing.contains(&(it.path.clone(), it.name_at)));
    definitions
}

/// The first one is the definition.
async fn writing(
    asking: &QueryContext,
    roots: &Roots,
    places: &[(PathBuf, Extent)],
) -> Vec<(PathBuf, Extent)> {
    let later = places.iter().skip(1);
    file_syntax::with_usage(asking, roots, later, |it| it.role == "write")
        .await
        .into_iter()
        .cloned()
        .collect()
}
