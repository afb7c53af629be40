//! Symbols of one name in separate programs of a workspace, which some servers treat as one symbol.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::{Operation, Point, Reason};

use super::correction::{Correction, Edits, Query, Scope, Uses};
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::servers::run::convert::workspace_edit::RawStep;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope =
    Scope { id: "separate-programs", servers: |it| it.merges_programs, ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations, Operation::Rename],
    why: "bash-language-server 5.8 treats symbols of one name in several scripts as one symbol",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    edits: Some(|query, _, edits| Box::pin(correct_edits(query, edits))),
    ..Correction::NONE
};

/// Removes the uses in programs that define the name themselves.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    let others = others(asking, subject, &uses.home, &uses.extents).await?;
    uses.extents.retain(|(path, _)| !others.contains(path));
    uses.reasons.extend(remark(asking, query.roots(), &subject.name, &others));
    uses.other_programs = others;
    Ok(())
}

/// Removes the edits in programs that define the name themselves.
async fn correct_edits(query: &Query<'_>, edits: &mut Edits) -> Result<(), Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    let changed = edits.places(asking).await.into_iter().flatten().collect();
    let others = others(asking, subject, &edits.home, &changed).await?;
    edits.steps.retain(|step| !matches!(step, RawStep::Change(change) if others.contains(&change.at.path)));
    edits.remarks.extend(remark(asking, query.roots(), &subject.name, &others));
    Ok(())
}

/// Returns the files with uses that define the name themselves, so that these uses mean their own symbol.
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
        // At a definition's name the server answers for all programs, at a use only for this one.
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

/// Returns a remark that lists the files whose uses are left out.
fn remark(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &str,
    others: &BTreeSet<PathBuf>,
) -> Option<Reason> {
    let paths: Vec<_> = others.iter().map(|it| roots.display_path(it)).collect();
    let (server, name) = (asking.server.name().to_owned(), name.to_owned());
    (!paths.is_empty()).then_some(Reason::OtherPrograms { server, name, paths })
}

/// Returns `true` if a file is meant to be included by others, by its extension.
fn is_shared(asking: &QueryContext, path: &Path) -> bool {
    let included = asking.profile().files.included;
    path.extension().is_some_and(|it| included.iter().any(|ending| it == *ending))
}
