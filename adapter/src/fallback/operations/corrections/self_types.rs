//! Uses of a type as `Self`, which rust-analyzer leaves out or not, depending on what else there is in a workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ide_protocol::Point;

use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::follow::Missed;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::Roots;

/// What the type is called in its own body and in those of its `impl`s.
const SELF: &str = "Self";

/// Kinds of types, and of `impl`s.
const TYPES: &[&str] = &["struct", "enum"];
const IMPLS: &[&str] = &[outline::IMPL];

/// Where `Self` leads to a type whose definition is at `home`, or to an `impl` of it that is among its uses.
pub(crate) async fn uses(
    (asking, roots): (&QueryContext, &Roots),
    extents: &BTreeSet<(PathBuf, Extent)>,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Result<Missed, Problem> {
    let language = asking.server.setup.language;
    let (mut lines, mut selves): (BTreeMap<_, BTreeSet<_>>, BTreeSet<_>) = Default::default();
    if language.id != "rust" {
        return Ok(Missed::default());
    }
    let homes = home.iter().map(|(path, point)| (path, *point, TYPES));
    let headers = extents.iter().map(|(path, extent)| (path, extent.start, IMPLS));
    for (path, point, kinds) in homes.chain(headers) {
        let nodes = asking.outline(path).await?;
        let found = outline::named_at(&nodes, point).filter(|it| kinds.contains(&it.node.kind));
        let (Some(found), Some(text)) = (found, asking.text(path).await) else {
            if kinds == TYPES {
                return Ok(Missed::default());
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
