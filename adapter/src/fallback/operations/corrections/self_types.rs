//! Uses of a type as `Self`, which rust-analyzer lists or leaves out depending on the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ide_protocol::{Operation, Point};

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::follow::ResolvedMentions;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::ids;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "self-types", languages: &[ids::RUST], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations],
    why: "rust-analyzer 1.95 lists uses of a type as `Self` or leaves them out, depending on the rest of \
          the workspace",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// Adds the uses as `Self`.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let found = self::uses((query.asking(), query.roots()), &uses.extents, &uses.home).await?;
    uses.missed.is_cut |= found.is_cut;
    uses.missed.unclear.extend(found.unclear);
    uses.extents.extend(found.uses);
    Ok(())
}

/// The name of a type in its own body and in the bodies of its `impl`s.
const SELF: &str = "Self";

/// The kinds of types.
const TYPES: &[&str] = &["struct", "enum"];
/// The kinds of `impl` blocks.
const IMPLS: &[&str] = &[outline::IMPL];

/// Returns the places where `Self` resolves to the type. These are in its definition at `home`, or in an
/// `impl` block among its uses.
pub(crate) async fn uses(
    (asking, roots): (&QueryContext, &SessionFolders),
    extents: &BTreeSet<(PathBuf, Extent)>,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Result<ResolvedMentions, Problem> {
    let language = asking.server.setup.language;
    let (mut lines, mut selves): (BTreeMap<_, BTreeSet<_>>, BTreeSet<_>) = Default::default();
    let homes = home.iter().map(|(path, point)| (path, *point, TYPES));
    let headers = extents.iter().map(|(path, extent)| (path, extent.start, IMPLS));
    for (path, point, kinds) in homes.chain(headers) {
        let nodes = asking.outline(path).await?;
        let found = outline::named_at(&nodes, point).filter(|it| kinds.contains(&it.node.kind));
        let (Some(found), Some(text)) = (found, asking.text(path).await) else {
            if kinds == TYPES {
                return Ok(ResolvedMentions::default());
            }
            continue;
        };
        selves.insert((path.clone(), point));
        let whole = found.node.whole;
        for line in whole.start.line.index()..=whole.end.line.index() {
            let words = language.words(text.line(line).unwrap_or_default()).into_iter();
            let mut selves = words.filter(|(word, _)| word == SELF).map(|(_, at)| Extent::within(line, at));
            if selves.any(|it| !extents.contains(&(path.clone(), it))) {
                lines.entry(path.clone()).or_default().insert(line);
            }
        }
    }
    let mut found = follow::uses((asking, roots), &lines, &selves, SELF).await?;
    found.uses.retain(|it| !extents.contains(it));
    Ok(found)
}
