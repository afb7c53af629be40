//! Several programs in one workspace that each have a symbol of one name: some servers take them for one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::Point;

use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::Roots;

/// The files with such uses that define a symbol of that name for themselves: what they use is that.
pub(crate) async fn others(
    asking: &QueryContext,
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
    uses: &BTreeSet<(PathBuf, Extent)>,
) -> Result<BTreeSet<PathBuf>, Problem> {
    let mut others = BTreeSet::new();
    if !asking.profile().merges_programs || is_shared(asking, &subject.path) {
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
    roots: &Roots,
    name: &str,
    others: &BTreeSet<PathBuf>,
) -> Option<String> {
    let files: Vec<_> = others.iter().map(|it| roots.spell(it)).collect();
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
