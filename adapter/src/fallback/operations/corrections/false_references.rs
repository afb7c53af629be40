//! Uses of something else of the same name that a server takes for those of a symbol.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::Point;

use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::Roots;

/// Those among the uses of a function that lead to a local variable: rust-analyzer takes what a pattern binds for a
/// function of that name, or not, by what else it was asked before; so that nothing is said of it.
pub(crate) async fn uses(
    (asking, roots): (&QueryContext, &Roots),
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
    extents: &BTreeSet<(PathBuf, Extent)>,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    let mut mistaken = BTreeSet::new();
    let nodes = asking.outline(&subject.path).await?;
    let is_function = outline::named_at(&nodes, subject.point).is_some_and(|it| it.node.kind == "function");
    if asking.server.setup.language.id != "rust" || !is_function {
        return Ok(mistaken);
    }
    // Whoever calls it means a function, mostly.
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
