//! Uses that a server knows of and did not list.
//!
//! Asked for all uses of a symbol, a server that is ready may still leave some out: those in files that it indexes
//! later or never, or those in imports. Asked the other way round, what the word on a line leads to, it gives them
//! away. Where the word leads nowhere at all, as on a receiver whose type nothing says, it may be a use or not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::{Column, Line, Point};

use super::candidate::ALIASES;
use super::listed::listed;
use crate::fallback::asking::{Asking, Problem};
use crate::fallback::outline::{self, Extent};
use crate::fallback::roots::Roots;
use crate::fallback::usage;

/// How many lines are asked about.
const LINES: usize = 64;

/// How many of them, where each file that is asked about has to be compiled for that.
const COSTLY_LINES: usize = 16;

/// How many places are named.
const NAMED: usize = 5;

/// How many at the same time.
const AT_ONCE: usize = 8;

/// What names lead to.
#[derive(Debug, Default)]
pub(super) struct Missed {
    /// Those that lead home.
    pub(super) uses: Vec<(PathBuf, Extent)>,
    /// Those of which the server cannot tell where they lead.
    pub(super) unclear: Vec<(PathBuf, Extent)>,
}

/// Where the name, on one of these lines, leads to one of the definitions at `home` and defines nothing itself.
pub(super) async fn uses(
    asking: &Asking,
    beyond: &BTreeMap<PathBuf, BTreeSet<usize>>,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> Result<Missed, Problem> {
    let is_costly = asking.profile().files.awaits_diagnostics;
    let some = spread(beyond, if is_costly { COSTLY_LINES } else { LINES });
    let mut missed = Missed::default();
    for few in some.chunks(AT_ONCE) {
        let asked = few.iter().map(|(path, line)| leading_home(asking, path, *line, home, name));
        let answers = try_join_all(asked).await?;
        for ((path, _), (uses, unclear)) in few.iter().zip(answers) {
            missed.uses.extend(uses.into_iter().map(|it| ((*path).clone(), it)));
            missed.unclear.extend(unclear.into_iter().map(|it| ((*path).clone(), it)));
        }
    }
    Ok(missed)
}

/// Where the name, on one of these lines, leads to a use in another file and no further: the server stops there, as at
/// what a module exports by assignment.
pub(super) async fn bridged(
    asking: &Asking,
    beyond: &BTreeMap<PathBuf, BTreeSet<usize>>,
    uses: &BTreeSet<(PathBuf, Extent)>,
    name: &str,
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    let is_costly = asking.profile().files.awaits_diagnostics;
    let starts: BTreeSet<_> = uses.iter().map(|(path, extent)| (path, extent.start)).collect();
    let mut bridged = Vec::new();
    for (path, line) in spread(beyond, if is_costly { COSTLY_LINES } else { LINES }) {
        for extent in named(asking, path, line, name).await {
            for target in asking.definition(path, extent.start).await?.iter() {
                let there = asking.extent(&target.name).await.map(|it| it.start);
                let is_use = there.is_some_and(|it| starts.contains(&(&target.name.path, it)));
                if is_use && target.name.path != *path {
                    bridged.push((path.clone(), extent));
                }
            }
        }
    }
    Ok(bridged)
}

/// Says so.
pub(super) fn told_bridged(
    asking: &Asking,
    roots: &Roots,
    name: &str,
    bridged: &[(PathBuf, Extent)],
) -> Option<String> {
    let places: BTreeSet<_> =
        bridged.iter().map(|(path, extent)| (roots.spell(path), extent.start.line)).collect();
    let places: Vec<_> = places.iter().map(|(path, line)| format!("{path}:{line}")).collect();
    let (server, places) = (asking.server.name(), listed(&places, NAMED));
    (!bridged.is_empty()).then(|| {
        let uses = format!("it is used at {places} too, and maybe behind that");
        format!("{server} does not follow `{name}` through its export: {uses}")
    })
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
) -> Result<(Vec<Extent>, Vec<Extent>), Problem> {
    let (mut uses, mut unclear) = (Vec::new(), Vec::new());
    for extent in named(asking, path, line, name).await {
        match leads_home(asking, path, extent.start, home).await? {
            None => unclear.push(extent),
            Some(true) if !defines(asking, path, extent.start).await? => uses.push(extent),
            Some(_) => {}
        }
    }
    Ok((uses, unclear))
}

/// Where a name stands on a line.
async fn named(asking: &Asking, path: &Path, line: usize, name: &str) -> Vec<Extent> {
    let text = asking.text(path).await;
    let Some(code) = text.as_ref().and_then(|it| it.line(line)) else { return Vec::new() };
    // What documentation links to is no use of it.
    let language = asking.server.setup.language;
    let code = code.split(language.comment).next().unwrap_or_default();
    let point = |column| Point { line: Line::from_index(line), column: Column::from_index(column) };
    let words = language.words(code).into_iter().filter(|(word, _)| word == name);
    words.map(|(_, columns)| Extent { start: point(columns.start), end: point(columns.end) }).collect()
}

/// `None` where it leads nowhere.
async fn leads_home(
    asking: &Asking,
    path: &Path,
    point: Point,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Result<Option<bool>, Problem> {
    let targets = asking.definition(path, point).await?;
    for target in targets.iter() {
        let extent = asking.extent(&target.name).await;
        if extent.is_some_and(|it| home.contains(&(target.name.path.clone(), it.start))) {
            return Ok(Some(true));
        }
    }
    Ok((!targets.is_empty()).then_some(false))
}

/// Says where calls stand of which the server cannot tell whose they are: on a receiver whose type it does not know.
/// Other roles are mostly keys, arguments and attributes of something else.
pub(super) async fn unclear_calls(
    asking: &Asking,
    roots: &Roots,
    name: &str,
    unclear: &[(PathBuf, Extent)],
) -> Option<String> {
    let (count, places) = calls(asking, roots, unclear).await;
    let (calls, lead) = if count == 1 { ("1 call", "leads") } else { (&*format!("{count} calls"), "lead") };
    let server = asking.server.name();
    (count > 0).then(|| format!("{server} cannot tell where {calls} of a `{name}` {lead}: {places}"))
}

/// How many of these are calls, and where those stand.
pub(super) async fn calls(asking: &Asking, roots: &Roots, all: &[(PathBuf, Extent)]) -> (usize, String) {
    let mut by_file: BTreeMap<&PathBuf, Vec<Extent>> = BTreeMap::new();
    all.iter().for_each(|(path, extent)| by_file.entry(path).or_default().push(*extent));
    let mut places = Vec::new();
    for (path, extents) in by_file {
        let spelling = roots.place(path.clone()).spelling;
        let usages = usage::of(asking, roots, path, &extents).await.unwrap_or_default();
        let calls = extents.iter().zip(usages).filter(|(_, it)| it.role == "call");
        places.extend(calls.map(|(extent, _)| format!("{spelling}:{}", extent.start.line)));
    }
    (places.len(), listed(&places, NAMED))
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
