//! Uses that a server knows of and did not list.
//!
//! Asked for all uses of a symbol, a server that is ready may still leave some out: those in files that it indexes
//! later or never, or those in imports. Asked the other way round, what the word on a line leads to, it gives them
//! away.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::{Column, Line, Point};

use super::candidate::ALIASES;
use crate::fallback::asking::{Asking, Problem};
use crate::fallback::names::words;
use crate::fallback::outline::{self, Extent};

/// How many lines are asked about.
const LINES: usize = 64;

/// How many of them, where each file that is asked about has to be compiled for that.
const COSTLY_LINES: usize = 16;

/// How many at the same time.
const AT_ONCE: usize = 8;

/// Where the name, on one of these lines, leads to one of the definitions at `home` and defines nothing itself.
pub(super) async fn uses(
    asking: &Asking,
    beyond: &BTreeMap<PathBuf, BTreeSet<usize>>,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    let is_costly = asking.profile().files.awaits_diagnostics;
    let some = spread(beyond, if is_costly { COSTLY_LINES } else { LINES });
    let mut missed = Vec::new();
    for few in some.chunks(AT_ONCE) {
        let asked = few.iter().map(|(path, line)| leading_home(asking, path, *line, home, name));
        let answers = try_join_all(asked).await?;
        for ((path, _), extents) in few.iter().zip(answers) {
            missed.extend(extents.into_iter().map(|it| ((*path).clone(), it)));
        }
    }
    Ok(missed)
}

/// Some lines of every file rather than all lines of some.
fn spread(lines: &BTreeMap<PathBuf, BTreeSet<usize>>, limit: usize) -> Vec<(&PathBuf, usize)> {
    let mut all: Vec<_> = lines
        .iter()
        .flat_map(|(path, lines)| lines.iter().enumerate().map(move |(rank, line)| (rank, path, *line)))
        .collect();
    all.sort();
    all.into_iter().take(limit).map(|(_, path, line)| (path, line)).collect()
}

async fn leading_home(
    asking: &Asking,
    path: &Path,
    line: usize,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> Result<Vec<Extent>, Problem> {
    let text = asking.text(path).await;
    let Some(code) = text.as_ref().and_then(|it| it.line(line)) else { return Ok(Vec::new()) };
    // What documentation links to is no use of it.
    let code = code.split(asking.server.setup.language.comment).next().unwrap_or_default();
    let mut extents = Vec::new();
    for (_, columns) in words(code).into_iter().filter(|(word, _)| word == name) {
        let point = |column| Point { line: Line::from_index(line), column: Column::from_index(column) };
        let extent = Extent { start: point(columns.start), end: point(columns.end) };
        if leads_home(asking, path, extent.start, home).await? && !defines(asking, path, extent.start).await?
        {
            extents.push(extent);
        }
    }
    Ok(extents)
}

async fn leads_home(
    asking: &Asking,
    path: &Path,
    point: Point,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Result<bool, Problem> {
    for target in asking.definition(path, point).await? {
        let extent = asking.extent(&target.name).await;
        if extent.is_some_and(|it| home.contains(&(target.name.path.clone(), it.start))) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the name there is that of a definition: of a declaration in a header, say. Outlines list imported names
/// too, as variables.
async fn defines(asking: &Asking, path: &Path, point: Point) -> Result<bool, Problem> {
    let nodes = asking.outline(path).await?;
    let declares_apart = asking.server.setup.language.declares_apart;
    let defines = |kind: &str| declares_apart || !ALIASES.contains(&kind);
    Ok(outline::all(&nodes).iter().any(|it| it.node.name_at.start == point && defines(it.node.kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_its_turn() {
        let lines = [("a", [1, 2, 3]), ("b", [4, 5, 6])];
        let lines: BTreeMap<PathBuf, BTreeSet<usize>> =
            lines.into_iter().map(|(path, lines)| (path.into(), lines.into())).collect();
        let spread: Vec<_> =
            spread(&lines, 3).into_iter().map(|(path, line)| (path.to_str().unwrap(), line)).collect();
        assert_eq!(spread, [("a", 1), ("b", 4), ("a", 2)]);
    }
}
