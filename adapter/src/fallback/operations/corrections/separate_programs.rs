//! Several programs in one workspace that each have a symbol of one name: some servers take them for one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::Point;

use super::correction::{Correction, Edits, Query, Scope, Uses};
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::servers::run::convert::workspace_edit::RawStep;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::SessionFolders;
use ide_protocol::Operation;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope =
    Scope { id: "separate-programs", servers: |it| it.merges_programs, ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations, Operation::Rename],
    why: "bash-language-server 5.8 takes what several scripts each define under one name for one symbol",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    edits: Some(|query, _, edits| Box::pin(correct_edits(query, edits))),
    ..Correction::NONE
};

/// Removes the uses in programs that define the name for themselves.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    let others = others(asking, subject, &uses.home, &uses.extents).await?;
    uses.extents.retain(|(path, _)| !others.contains(path));
    uses.remarks.extend(told(asking, query.roots(), &subject.name, &others));
    uses.other_programs = others;
    Ok(())
}

/// Removes the edits of symbols of other programs.
async fn correct_edits(query: &Query<'_>, edits: &mut Edits) -> Result<(), Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    let changed = edits.places(asking).await.into_iter().flatten().collect();
    let others = others(asking, subject, &edits.home, &changed).await?;
    edits.steps.retain(|step| !matches!(step, RawStep::Change(change) if others.contains(&change.at.path)));
    edits.remarks.extend(told(asking, query.roots(), &subject.name, &others));
    Ok(())
}

/// The files with such uses that define a symbol of that name for themselves: what they use is that.
pub(crate) async fn others(
    asking: &QueryContext,
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
    uses: &BTreeSet<(PathBuf, Extent)>,
) -> Result<BTreeSet<PathBuf>, Problem> {
    let mut others = BTreeSet::new();
    if !SCOPE.applies(asking) || is_shared(asking, &subject.path) {
        return Ok(others);
    }
    let mut by_file: BTreeMap<&PathBuf, Vec<Point>> = BTreeMap::new();
    for (path, extent) in uses.iter().filter(|(it, _)| *it != subject.path && !is_shared(asking, it)) {
        by_file.entry(path).or_default().push(extent.start);
    }
    for (path, points) in by_file {
        let nodes = asking.outline(path).await?;
        let all = outline::all(&nodes);
        let names: BTreeSet<_> = all.iter().map(|it| it.node.name_at.start).collect();
        let is_defined = all
            .iter()
            .any(|it| it.node.name == subject.name && !home.contains(&(path.clone(), it.node.name_at.start)));
        // At the name itself, what is known of all programs answers; at a use, what is known of this one.
        let used = points.into_iter().find(|it| !names.contains(it));
        if let (true, Some(used)) = (is_defined, used) {
            let targets = asking.definition(path, used).await?;
            if !targets.is_empty() && targets.iter().all(|it| it.name.path == *path) {
                others.insert(path.clone());
            }
        }
    }
    Ok(others)
}

/// Says whose uses are left out.
pub(crate) fn told(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &str,
    others: &BTreeSet<PathBuf>,
) -> Option<String> {
    let files: Vec<_> = others.iter().map(|it| roots.display_path(it)).collect();
    let server = asking.server.name();
    (!files.is_empty()).then(|| {
        let files = files.join(", ");
        format!(
            "{server} takes the `{name}` that {files} defines for the same; what is said of that is left out"
        )
    })
}

/// Whether a file is a part of others.
fn is_shared(asking: &QueryContext, path: &Path) -> bool {
    let included = asking.profile().files.included;
    path.extension().is_some_and(|it| included.iter().any(|ending| it == *ending))
}
