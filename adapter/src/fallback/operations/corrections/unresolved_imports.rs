//! Imports that a server does not resolve: an unknown path, or a package that is not installed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ide_protocol::{Operation, Point};

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::lookup::follow::ResolvedMentions;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "unresolved-imports", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[
        Operation::Definitions,
        Operation::References,
        Operation::Callers,
        Operation::Implementations,
    ],
    why: "ty, basedpyright and tsc do not follow an import whose path they cannot resolve, or whose package \
          is not installed",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// Finds the unresolved imports that may lead to the symbol.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    uses.unfollowed = self::uses(query.asking(), (&uses.missed, &query.subject.name)).await?;
    Ok(())
}

/// Returns `true` if the candidate is only a name in an unresolved import, which defines nothing. `targets`
/// holds the definitions that the name resolves to.
pub(crate) async fn is_one(asking: &QueryContext, candidate: &Candidate, targets: &[Candidate]) -> bool {
    let own = (&candidate.path, candidate.name_at.start);
    if !SCOPE.applies(asking) || targets.iter().any(|it| (&it.path, it.name_at.start) != own) {
        return false;
    }
    let place = (candidate.path.clone(), candidate.name_at);
    !file_syntax::with_role(asking, [&place], "import").await.is_empty()
}

/// Returns the unresolved imports of the name, and the mentions that resolve to such an import and no
/// further.
pub(crate) async fn uses(
    asking: &QueryContext,
    (missed, name): (&ResolvedMentions, &str),
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    let nowhere = file_syntax::with_role(asking, &missed.unclear, "import").await;
    let mut uses: BTreeSet<_> = nowhere.into_iter().cloned().collect();
    let led_to: BTreeSet<_> = missed
        .elsewhere
        .iter()
        .flat_map(|it| &it.to)
        .map(|(path, at)| (path.clone(), Extent::at(*at)))
        .collect();
    let mut ends = BTreeSet::new();
    for (path, at) in file_syntax::with_role(asking, &led_to, "import").await {
        // A target at the beginning of a file means the whole file.
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

/// Returns `true` if the name resolves to a place other than itself.
async fn leads_on(asking: &QueryContext, path: &Path, at: Point) -> Result<bool, Problem> {
    for target in asking.definition(path, at).await?.iter() {
        let name_at = asking.extent(&target.name).await.ok_or(Problem::FilesChanged)?;
        if (target.name.path.as_path(), name_at.start) != (path, at) {
            return Ok(true);
        }
    }
    Ok(false)
}
