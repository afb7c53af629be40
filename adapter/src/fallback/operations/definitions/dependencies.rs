//! Resolves names that the workspace does not export: dependency symbols that it uses, then local variables.

use std::collections::BTreeSet;
use std::path::PathBuf;

use futures::future::try_join_all;
use ide_protocol::{Point, Reason};

use crate::fallback::operations::corrections::assigned_members;
use crate::fallback::operations::lookup::candidates::{DefinitionAnswer, candidates, is_called};
use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::leads::there;
use crate::fallback::operations::lookup::mentions::mentions;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::workspace::format_places;
use crate::fallback::workspace::format_places::NAMED;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of lines with the name that are resolved.
const LINES: usize = 64;

/// Returns the definitions in dependencies and the standard library that the workspace uses. Falls back to
/// local variables, then to unused dependency definitions.
pub(crate) async fn defining(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    answer: &mut DefinitionAnswer,
) -> Result<Vec<Candidate>, Problem> {
    let found = dependencies(asking, name).await?;
    let Used { places, locals, is_all } = used(asking, roots, name).await?;
    let all = found.len();
    let (used, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|it| places.contains(&(it.path.clone(), it.name_at.start)));
    if used.is_empty() && locals.is_empty() {
        return Ok(others);
    }
    if used.is_empty() {
        if !is_all {
            answer.reasons.push(Reason::LocalsCut { name: name.last.clone(), lines: LINES });
        }
        return Ok(locals);
    }
    if !others.is_empty() {
        let lines = (!is_all).then_some(LINES);
        let (total, name, used) = (all, name.last.clone(), used.len());
        answer.reasons.push(Reason::UsedOfDependencies { total, name, used, lines });
    }
    if !locals.is_empty() {
        let at: Vec<_> = locals.iter().map(|it| (it.path.clone(), it.name_at)).collect();
        let (kind, name, count) = ("local variable".to_owned(), name.last.clone(), at.len());
        let places = format_places::places(roots, &at, NAMED);
        answer.reasons.push(Reason::LesserKind { kind, name, count, places });
    }
    Ok(used)
}

/// Returns the best-fitting dependency symbols with this name that the server lists.
async fn dependencies(asking: &QueryContext, name: &Name) -> Result<Vec<Candidate>, Problem> {
    let Some(suffix) = asking.profile().symbols.with_dependencies else { return Ok(Vec::new()) };
    let listed = asking.symbols(format!("{}{suffix}", name.last)).await?;
    let exact: Vec<_> = listed.iter().filter(|it| is_called(it, &name.last)).collect();
    let found = candidates(asking, &exact, name).await?;
    let best = found.iter().map(|it| it.fit).max().unwrap_or(Fit::None);
    Ok(found.into_iter().filter(|it| it.fit == best && best != Fit::None).collect())
}

/// The targets of the workspace's uses of a name.
#[derive(Debug, Default)]
struct Used {
    /// The targets outside the workspace.
    places: BTreeSet<(PathBuf, Point)>,
    /// The local variables defined directly in the name's qualifier.
    locals: Vec<Candidate>,
    /// `true` if every line was resolved.
    is_all: bool,
}

async fn used(asking: &QueryContext, roots: &SessionFolders, name: &Name) -> Result<Used, Problem> {
    let named = mentions(asking, roots, &name.last).await;
    let mut all: Vec<_> = follow::spread(&named.lines).into_iter().map(|it| (it, true)).collect();
    if let Some(qualifier) = name.path.last() {
        // For `Command::new`, skip files that do not mention `Command`; a local variable lies in its qualifier.
        let qualifying = mentions(asking, roots, qualifier).await.lines;
        all.retain(|((path, _), _)| qualifying.contains_key(*path));
        for ((path, line), is_qualified) in &mut all {
            *is_qualified = qualifying[*path].contains(line);
        }
        all.sort_by_key(|(_, is_qualified)| !is_qualified);
    }
    let mut used = Used { is_all: named.complete && all.len() <= LINES, ..Used::default() };
    let looked_at = all
        .into_iter()
        .take(LINES)
        .map(|(at, is_qualified)| leading((asking, roots), at, name, is_qualified));
    for led in try_join_all(looked_at).await? {
        used.places.extend(led.places);
        used.locals.extend(led.locals);
    }
    // A local variable of a method is not a member of the method's type.
    used.locals.retain(|it| it.fit == Fit::Exact);
    let mut seen = BTreeSet::new();
    used.locals.retain(|it| seen.insert((it.path.clone(), it.name_at)));
    Ok(used)
}

/// Resolves a name on a line. Targets outside the workspace count only if the line also contains the qualifier.
async fn leading(
    (asking, roots): (&QueryContext, &SessionFolders),
    (path, line): (&PathBuf, usize),
    name: &Name,
    is_qualified: bool,
) -> Result<Used, Problem> {
    let mut led = Used::default();
    for extent in follow::named(asking, roots, path, line, &name.last).await {
        let mut locals = Vec::new();
        for target in asking.definition(path, extent.start).await?.iter() {
            if roots.contains(&target.name.path) {
                locals.extend(there(asking, target, Some(&name.last)).await?);
            } else if is_qualified {
                let extent = asking.extent(&target.name).await;
                led.places.extend(extent.map(|it| (target.name.path.clone(), it.start)));
            }
        }
        locals.retain(|it| it.is_local && it.name == name.last);
        for local in assigned_members::first(asking, locals).await {
            let nodes = asking.outline(&local.path).await?;
            let fit = name.fits(&local.path, &outline::path_to(&nodes, local.name_at.start), None);
            led.locals.push(Candidate { fit, ..local });
        }
    }
    Ok(led)
}
