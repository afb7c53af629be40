//! Imports that a server does not follow: of a path that it does not resolve, or of a package that is not installed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ide_protocol::Point;

use crate::fallback::operations::lookup::follow::Missed;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::workspace::session_folders::Roots;

/// Whether a name only stands in such an import, which defines nothing; `targets` is where it leads.
pub(crate) async fn is_one(
    asking: &QueryContext,
    roots: &Roots,
    candidate: &Candidate,
    targets: &[Candidate],
) -> bool {
    let own = (&candidate.path, candidate.name_at.start);
    if targets.iter().any(|it| (&it.path, it.name_at.start) != own) {
        return false;
    }
    let place = (candidate.path.clone(), candidate.name_at);
    !file_syntax::with_usage(asking, roots, [&place], |it| it.role == "import").await.is_empty()
}

/// Such imports of the name, and what leads to them and no further.
pub(crate) async fn uses(
    asking: &QueryContext,
    roots: &Roots,
    (missed, name): (&Missed, &str),
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    let nowhere = file_syntax::with_usage(asking, roots, &missed.unclear, |it| it.role == "import").await;
    let mut uses: BTreeSet<_> = nowhere.into_iter().cloned().collect();
    let led_to: BTreeSet<_> = missed
        .elsewhere
        .iter()
        .flat_map(|it| &it.to)
        .map(|(path, at)| (path.clone(), Extent::at(*at)))
        .collect();
    let mut ends = BTreeSet::new();
    for (path, at) in file_syntax::with_usage(asking, roots, &led_to, |it| it.role == "import").await {
        // What leads to the beginning of a file means the file.
        if is_named(asking, path, at.start, name).await && !leads_on(asking, path, at.start).await? {
            ends.insert((path.clone(), at.start));
        }
    }
    let ending =
        missed.elsewhere.iter().filter(|it| !it.to.is_empty() && it.to.iter().all(|it| ends.contains(it)));
    uses.extend(ending.map(|it| it.from.clone()));
    Ok(uses)
}

async fn is_named(asking: &QueryContext, path: &Path, at: Point, name: &str) -> bool {
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(at.line.index())).unwrap_or_default();
    asking.server.setup.language.word_at(line, at.column.index()).is_some_and(|(word, _)| word == name)
}

/// Whether the name there leads anywhere but to itself.
async fn leads_on(asking: &QueryContext, path: &Path, at: Point) -> Result<bool, Problem> {
    for target in asking.definition(path, at).await?.iter() {
        let name_at = asking.extent(&target.name).await.ok_or(Problem::FilesChanged)?;
        if (target.name.path.as_path(), name_at.start) != (path, at) {
            return Ok(true);
        }
    }
    Ok(false)
}
