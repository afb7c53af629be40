//! False references: uses of a local variable that a server attributes to the function of the same name.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::{Operation, Point};

use super::correction::{Correction, Edits, Query, Scope, Uses};
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::ids;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "false-references", languages: &[ids::RUST], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations, Operation::Rename],
    why: "rust-analyzer 1.95 may list a pattern binding as a reference to the function of the same name, \
          depending on earlier requests",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    edits: Some(|query, _, edits| Box::pin(correct_edits(query, edits))),
    ..Correction::NONE
};

/// Removes the uses that resolve to a local variable.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let false_uses =
        self::uses((query.asking(), query.roots()), query.subject, &uses.home, &uses.extents).await?;
    uses.extents.retain(|it| !false_uses.contains(it));
    Ok(())
}

/// Removes the edits of local variables.
async fn correct_edits(query: &Query<'_>, edits: &mut Edits) -> Result<(), Problem> {
    let asking = query.asking();
    let changed = edits.places(asking).await;
    let places = changed.iter().flatten().cloned().collect();
    let false_uses = self::uses((asking, query.roots()), query.subject, &edits.home, &places).await?;
    let mut kept = changed.into_iter().map(|it| it.is_none_or(|it| !false_uses.contains(&it)));
    edits.steps.retain(|_| kept.next() == Some(true));
    Ok(())
}

/// Returns the uses of a function that resolve to a local variable. rust-analyzer lists such pattern bindings
/// or not, depending on earlier requests; so no note reports them.
pub(crate) async fn uses(
    (asking, roots): (&QueryContext, &SessionFolders),
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
    extents: &BTreeSet<(PathBuf, Extent)>,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    let mut mistaken = BTreeSet::new();
    let nodes = asking.outline(&subject.path).await?;
    let is_function = outline::named_at(&nodes, subject.point).is_some_and(|it| it.node.kind == "function");
    if !is_function || !SCOPE.applies(asking) {
        return Ok(mistaken);
    }
    // A call almost always means the function, so only reads and writes are checked.
    for (path, extent) in
        file_syntax::with_usage(asking, roots, extents, |it| matches!(it.role, "read" | "write")).await
    {
        let nodes = asking.outline(path).await?;
        let (mut leads_home, mut leads_to_local) = (false, false);
        for place in asking.places(path, extent.start).await? {
            leads_home |= home.contains(&place);
            // Outlines have no local variables.
            leads_to_local |= place.0 == *path && outline::named_at(&nodes, place.1).is_none();
        }
        if leads_to_local && !leads_home {
            mistaken.insert((path.clone(), *extent));
        }
    }
    Ok(mistaken)
}
