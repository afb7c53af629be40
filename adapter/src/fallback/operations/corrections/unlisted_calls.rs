//! Calls that a server's call hierarchy leaves out, mostly those in arguments of macros.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::Operation;

use super::correction::{Correction, Scope};
use crate::fallback::operations::lookup::leads::led_to;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::syntactic::syntax_facts::Usage;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "unlisted-calls", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Callees],
    why: "rust-analyzer 1.95 leaves out calls in the arguments of macros; others leave out calls through \
          values",
    calls: Some(|context, caller, known| Box::pin(unlisted(context.asking, context.roots, caller, known))),
    ..Correction::NONE
};

/// The maximum number of calls that are resolved.
const ASKED: usize = 64;

/// Returns the functions that a function calls by name at places with no known call, each with its place.
pub(crate) async fn unlisted(
    asking: &QueryContext,
    roots: &SessionFolders,
    caller: &Candidate,
    known: &BTreeSet<(PathBuf, Extent)>,
) -> Result<Vec<(Candidate, (PathBuf, Extent))>, Problem> {
    let (path, Some(text)) = (&caller.path, asking.text(&caller.path).await) else { return Ok(Vec::new()) };
    let language = asking.server.setup.language;
    let nodes = asking.outline(path).await?;
    let all = outline::all(&nodes);
    let is_its_own = |extent: &Extent| {
        let around = outline::function_around(&all, extent.start);
        around.is_some_and(|it| it.node.name_at == caller.name_at) && extent.start != caller.name_at.start
    };
    let is_known = |extent: &Extent| known.iter().any(|(other, it)| other == path && it.holds(extent.start));
    let mut named = Vec::new();
    for line in caller.whole.start.line.index()..=caller.whole.end.line.index() {
        let code = text.line(line).unwrap_or_default();
        for (word, columns) in language.words(code) {
            let extent = Extent::within(line, columns.clone());
            let is_called =
                code.chars().nth(columns.end) == Some('(') && language.is_name_in(code, &word, &columns);
            let is_type = language.calls_types && word.starts_with(char::is_uppercase);
            if is_called && !is_type && !is_known(&extent) && is_its_own(&extent) {
                named.push((path.clone(), extent));
            }
        }
    }
    let calls = file_syntax::with_usage(asking, roots, &named, Usage::is_call).await;
    let mut unlisted = Vec::new();
    for place @ (_, extent) in calls.into_iter().take(ASKED) {
        let callees = led_to(asking, path, extent.start).await?;
        unlisted.extend(
            callees.into_iter().filter(|it| outline::is_code(&it.kind)).map(|it| (it, place.clone())),
        );
    }
    Ok(unlisted)
}
