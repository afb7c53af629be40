//! What JavaScript declares by assigning it, `this.count = 0`: its server takes every such place for a declaration.

use std::path::PathBuf;

use super::references::declared;
use super::subject::Subject;
use crate::fallback::session::query_context::{Asking, Problem, file_syntax};
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::workspace::session_folders::SessionFolders;

/// Where a symbol is written, among what the server leaves out as its declarations.
pub(super) async fn again(
    asking: &Asking,
    roots: &SessionFolders,
    subject: &Subject,
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    if asking.server.setup.language.id != "typescript" {
        return Ok(Vec::new());
    }
    let declared: Vec<_> = declared(asking, &subject.path, subject.point).await?.into_iter().collect();
    Ok(writing(asking, roots, &declared).await)
}

/// Without the definitions that only write what the first one defines.
pub(super) async fn first(
    asking: &Asking,
    roots: &SessionFolders,
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
    asking: &Asking,
    roots: &SessionFolders,
    places: &[(PathBuf, Extent)],
) -> Vec<(PathBuf, Extent)> {
    let later = places.iter().skip(1);
    file_syntax::playing(asking, roots, later, |it| it.role == "write").await.into_iter().cloned().collect()
}
