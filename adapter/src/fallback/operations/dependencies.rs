//! What a name means that no file of the workspace defines: of all that dependencies define so, what the workspace uses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::Point;

use super::candidate::{Answer, Candidate, candidates, is_called};
use super::missed;
use super::references::mentions;
use crate::fallback::asking::{Asking, Problem};
use crate::fallback::names::{Fit, Name};
use crate::fallback::roots::Roots;

/// How many lines with the name are looked at.
const LINES: usize = 64;

/// Definitions in dependencies and the standard library: those that the workspace uses, where there are others.
pub(super) async fn defining(
    asking: &Asking,
    roots: &Roots,
    name: &Name,
    answer: &mut Answer,
) -> Result<Vec<Candidate>, Problem> {
    let found = listed(asking, name).await?;
    if found.len() < 2 {
        return Ok(found);
    }
    let Used { places, is_all } = used(asking, roots, name).await?;
    let all = found.len();
    let (used, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|it| places.contains(&(it.path.clone(), it.name_at.start)));
    if used.is_empty() {
        return Ok(others);
    }
    if !others.is_empty() {
        let (name, count) = (&name.last, used.len());
        let where_ = if is_all { String::new() } else { format!(" on {LINES} lines that were looked at") };
        answer
            .notes
            .push(format!("of {all} that dependencies call `{name}`, the workspace uses {count}{where_}"));
    }
    Ok(used)
}

/// All that the server lists.
async fn listed(asking: &Asking, name: &Name) -> Result<Vec<Candidate>, Problem> {
    let Some(suffix) = asking.profile().symbols.with_dependencies else { return Ok(Vec::new()) };
    let listed = asking.symbols(format!("{}{suffix}", name.last)).await?;
    let exact: Vec<_> = listed.iter().filter(|it| is_called(it, &name.last)).collect();
    let found = candidates(asking, &exact, name).await?;
    let best = found.iter().map(|it| it.fit).max().unwrap_or(Fit::None);
    Ok(found.into_iter().filter(|it| it.fit == best && best != Fit::None).collect())
}

/// Where the workspace's uses of a name lead.
#[derive(Debug, Default)]
struct Used {
    places: BTreeSet<(PathBuf, Point)>,
    /// Whether all lines were looked at.
    is_all: bool,
}

async fn used(asking: &Asking, roots: &Roots, name: &Name) -> Result<Used, Problem> {
    let language = asking.server.setup.language;
    let mentions = mentions(asking, roots, &name.last).await;
    let mut lines: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
    for (path, all) in mentions.lines {
        let Some(text) = asking.text(&path).await else { continue };
        // `Command::new` is not looked for where any `new` is called.
        let is_qualified = |line: &usize| {
            let words = language.words(text.line(*line).unwrap_or_default());
            name.path.last().is_none_or(|qualifier| words.iter().any(|(word, _)| word == qualifier))
        };
        lines.insert(path, all.into_iter().filter(is_qualified).collect());
    }
    let all = missed::spread(&lines);
    let mut used = Used { is_all: mentions.complete && all.len() <= LINES, ..Used::default() };
    let looked_at = all.into_iter().take(LINES).map(|(path, line)| leading(asking, roots, path, line, name));
    used.places.extend(try_join_all(looked_at).await?.into_iter().flatten());
    Ok(used)
}

/// Where a name leads that stands on a line.
async fn leading(
    asking: &Asking,
    roots: &Roots,
    path: &Path,
    line: usize,
    name: &Name,
) -> Result<Vec<(PathBuf, Point)>, Problem> {
    let mut places = Vec::new();
    for extent in missed::named(asking, roots, path, line, &name.last).await {
        for target in asking.definition(path, extent.start).await?.iter() {
            let extent = asking.extent(&target.name).await;
            places.extend(extent.map(|it| (target.name.path.clone(), it.start)));
        }
    }
    Ok(places)
}
