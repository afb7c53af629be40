//! Uses behind exports that a server does not follow, such as `module.exports.total = total`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::{Operation, Reason};

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::lookup::follow::{ResolvedMention, ResolvedMentions};
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::format_places::{NAMED, places};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "unfollowed-exports", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations],
    why: "tsc 7.0 and basedpyright 1.40 do not follow exports by assignment, such as \
          `module.exports.total = total`",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// Adds the uses behind such exports, and the reason that lists them.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let (asking, roots) = (query.asking(), query.roots());
    let bridged = bridged(asking, &uses.missed, &uses.extents).await;
    uses.reasons.extend(bridged_gap(asking, roots, &query.subject.name, &bridged));
    uses.extents.extend(bridged);
    Ok(())
}

/// Returns the mentions that resolve to an export in another file, where the server stops. An export counts
/// if it is itself a use of the symbol, or an assignment that a use also resolves to. Chains of such exports
/// are followed.
pub(crate) async fn bridged(
    asking: &QueryContext,
    missed: &ResolvedMentions,
    uses: &BTreeSet<(PathBuf, Extent)>,
) -> BTreeSet<(PathBuf, Extent)> {
    let beside: Vec<_> = missed.beside.iter().map(|(path, it)| (path.clone(), Extent::at(*it))).collect();
    let exported = file_syntax::with_role(asking, &beside, "write").await;
    let mut bridges: BTreeSet<_> =
        uses.iter().chain(exported).map(|(path, extent)| (path.clone(), extent.start)).collect();
    let mut bridged = BTreeSet::new();
    loop {
        let is_new = |led: &&ResolvedMention| !bridged.contains(&led.from) && !uses.contains(&led.from);
        let is_bridged =
            |led: &&ResolvedMention| led.to.iter().any(|it| it.0 != led.from.0 && bridges.contains(it));
        let found: Vec<_> =
            missed.elsewhere.iter().filter(is_new).filter(is_bridged).map(|it| it.from.clone()).collect();
        if found.is_empty() {
            return bridged;
        }
        bridges.extend(found.iter().map(|(path, extent)| (path.clone(), extent.start)));
        bridged.extend(found);
    }
}

/// Returns the reason that lists the uses found behind exports; `None` if there are none.
fn bridged_gap(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &str,
    bridged: &BTreeSet<(PathBuf, Extent)>,
) -> Option<Reason> {
    let places = places(roots, bridged, NAMED);
    let (server, name) = (asking.server.name().to_owned(), name.to_owned());
    (!bridged.is_empty()).then_some(Reason::BehindExport { server, name, places })
}
