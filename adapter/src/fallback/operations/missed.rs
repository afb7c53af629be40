//! Uses that a server knows of and did not list.
//!
//! Asked for all uses of a symbol, a server that is ready may still leave some out, now and then and for no visible
//! reason. Asked the other way round, what the word on a line leads to, it gives them away.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::{Column, Line, Point};

use crate::fallback::asking::{Asking, Problem};
use crate::fallback::names::words;
use crate::fallback::roots::Roots;

/// How many lines are asked about.
const LINES: usize = 64;

/// How many at the same time.
const AT_ONCE: usize = 8;

/// Those of the lines on which the name leads to one of the definitions at `home`.
pub(super) async fn lines(
    asking: &Asking,
    beyond: &BTreeMap<PathBuf, BTreeSet<usize>>,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> Result<Vec<(PathBuf, usize)>, Problem> {
    let all = beyond.iter().flat_map(|(path, lines)| lines.iter().map(move |line| (path, *line)));
    let some: Vec<_> = all.take(LINES).collect();
    let mut missed = Vec::new();
    for few in some.chunks(AT_ONCE) {
        let asked = few.iter().map(|(path, line)| leads_home(asking, path, *line, home, name));
        let answers = try_join_all(asked).await?;
        let led = few.iter().zip(answers).filter(|(_, leads)| *leads);
        missed.extend(led.map(|((path, line), _)| ((*path).clone(), *line)));
    }
    Ok(missed)
}

async fn leads_home(
    asking: &Asking,
    path: &Path,
    line: usize,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> Result<bool, Problem> {
    let text = asking.text(path).await;
    let Some(code) = text.as_ref().and_then(|it| it.line(line)) else { return Ok(false) };
    // What documentation links to is no use of it.
    let code = code.split(asking.server.setup.language.comment).next().unwrap_or_default();
    for (_, columns) in words(code).into_iter().filter(|(word, _)| word == name) {
        let point = Point { line: Line::from_index(line), column: Column::from_index(columns.start) };
        for target in asking.definition(path, point).await? {
            let extent = asking.extent(&target.name).await;
            if extent.is_some_and(|it| home.contains(&(target.name.path.clone(), it.start))) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Says which lines those are.
pub(super) fn note(roots: &Roots, missed: &[(PathBuf, usize)], server: &str) -> Option<String> {
    let shown: Vec<_> =
        missed.iter().take(5).map(|(path, line)| format!("{}:{}", roots.spell(path), line + 1)).collect();
    let more = missed.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let places = shown.join(", ");
    (!missed.is_empty()).then(|| format!("{server} leaves out uses that it knows of: {places}{rest}"))
}
