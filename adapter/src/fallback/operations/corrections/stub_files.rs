//! Python stubs: a symbol of `m.py` and the one of `m.pyi` that describes it have one name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ide_protocol::{Operation, Point};

use super::correction::{Correction, Scope};
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::ids;
use crate::fallback::source::outline;
use crate::fallback::source::outline::NestedNode;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "stub-files", languages: &[ids::PYTHON], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Rename],
    why: "ty 0.0.105 and basedpyright 1.40 rename a symbol in a stub without the source that it describes, or \
          in the source without the stub",
    ..Correction::NONE
};

/// Returns the positions of the symbol's name in the file of the other kind: definitions of that name in the same
/// containers.
pub(crate) async fn twins(
    asking: &QueryContext,
    subject: &Subject,
) -> Result<BTreeSet<(PathBuf, Point)>, Problem> {
    let mut twins = BTreeSet::new();
    let Some(other) = other_file(&subject.path).filter(|_| SCOPE.applies(asking)) else {
        return Ok(twins);
    };
    if asking.text(&other).await.is_none() {
        return Ok(twins);
    }
    let nodes = asking.outline(&subject.path).await?;
    let Some(own) = outline::named_at(&nodes, subject.point) else { return Ok(twins) };
    let names = |it: &NestedNode<'_>| {
        let around: Vec<_> = it.around.iter().map(|it| it.name.clone()).collect();
        (around, it.node.name.clone())
    };
    let nodes = asking.outline(&other).await?;
    let all = outline::all(&nodes);
    let alike = all.iter().filter(|it| names(it) == names(&own));
    twins.extend(alike.map(|it| (other.clone(), it.node.name_at.start)));
    Ok(twins)
}

/// Returns the stub of a source, or the source of a stub, in the same folder.
fn other_file(path: &Path) -> Option<PathBuf> {
    match path.extension()?.to_str()? {
        "py" => Some(path.with_extension("pyi")),
        "pyi" => Some(path.with_extension("py")),
        _ => None,
    }
}
