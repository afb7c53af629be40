//! Uses that a server knows of and did not list.
//!
//! Asked for all uses of a symbol, a server that is ready may still leave some out: those in files that it indexes
//! later or never, or those in imports. Asked the other way round, what the word on a line leads to, it gives them
//! away. Where the word leads nowhere at all, as on a receiver whose type nothing says, it may be a use or not.

use crate::fallback::operations::lookup::follow::Led;
use crate::fallback::operations::lookup::follow::Missed;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use syntax::Kind;

use crate::fallback::operations::lookup::format_places::places;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::syntactic::syntax_facts::Usage;
use crate::fallback::workspace::session_folders::Roots;

/// How many places are named.
const NAMED: usize = 5;

/// Where the name leads to a use in another file and no further, or to what names that lead home lead to as well: the
/// server stops there, as at what a module exports by assignment.
pub(crate) async fn bridged(
    asking: &QueryContext,
    roots: &Roots,
    missed: &Missed,
    uses: &BTreeSet<(PathBuf, Extent)>,
) -> BTreeSet<(PathBuf, Extent)> {
    let beside: Vec<_> = missed.beside.iter().map(|(path, it)| (path.clone(), Extent::at(*it))).collect();
    let exported = file_syntax::with_usage(asking, roots, &beside, |it| it.role == "write").await;
    let mut bridges: BTreeSet<_> =
        uses.iter().chain(exported).map(|(path, extent)| (path.clone(), extent.start)).collect();
    let mut bridged = BTreeSet::new();
    loop {
        let is_new = |led: &&Led| !bridged.contains(&led.from) && !uses.contains(&led.from);
        let is_bridged = |led: &&Led| led.to.iter().any(|it| it.0 != led.from.0 && bridges.contains(it));
        let found: Vec<_> =
            missed.elsewhere.iter().filter(is_new).filter(is_bridged).map(|it| it.from.clone()).collect();
        if found.is_empty() {
            return bridged;
        }
        bridges.extend(found.iter().map(|(path, extent)| (path.clone(), extent.start)));
        bridged.extend(found);
    }
}

/// What leads to constructors, which are called as their type is: who makes one of a type in C++ names the type.
pub(crate) async fn leading_to_members(
    asking: &QueryContext,
    missed: &Missed,
    name: &str,
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    let mut leading = Vec::new();
    if !asking.server.setup.language.declares_apart {
        return Ok(leading);
    }
    for Led { from, to } in &missed.elsewhere {
        for (path, point) in to {
            let nodes = asking.outline(path).await?;
            let is_own = outline::named_at(&nodes, *point).is_some_and(|it| {
                let owner = it.node.owner.as_deref().and_then(|it| it.rsplit("::").next());
                owner.or(it.around.last().map(|it| it.name.as_str())) == Some(name)
            });
            if is_own {
                leading.push(from.clone());
            }
        }
    }
    Ok(leading)
}

/// Says so.
pub(crate) fn told_bridged(
    asking: &QueryContext,
    roots: &Roots,
    name: &str,
    bridged: &BTreeSet<(PathBuf, Extent)>,
) -> Option<String> {
    let (server, places) = (asking.server.name(), places(roots, bridged, NAMED));
    (!bridged.is_empty()).then(|| {
        format!("{server} does not follow `{name}` through its export: what is behind {places} was found by the name")
    })
}

/// Says where calls stand of which the server cannot tell whose they are: on a receiver whose type it does not know; and
/// what stands in the body of a macro, of which nobody can tell before it is used. Of what is no function but belongs to
/// a type, where it is read or written as a member of something. Other roles are mostly keys and arguments.
pub(crate) async fn unclear_calls(
    asking: &QueryContext,
    roots: &Roots,
    subject: &Subject,
    (unclear, is_cut): (&[(PathBuf, Extent)], bool),
) -> Result<Option<String>, Problem> {
    let is_value = is_value_of_type(asking, subject).await?;
    let mut members = BTreeSet::new();
    for (path, extent) in unclear.iter().filter(|_| is_value) {
        if is_member(asking, path, *extent).await {
            members.insert((path.clone(), *extent));
        }
    }
    let members =
        file_syntax::with_usage(asking, roots, &members, |it| matches!(it.role, "read" | "write")).await;
    let calls = file_syntax::with_usage(asking, roots, unclear, |it| it.role == "call").await;
    let in_macros = file_syntax::with_usage(asking, roots, unclear, Usage::is_in_macro).await;
    let uses: BTreeSet<_> = calls.iter().copied().chain(in_macros).chain(members).collect();
    let what = if calls.len() == uses.len() { "call" } else { "use" };
    Ok(told_unclear(asking, roots, (&subject.name, what), (uses, is_cut)))
}

/// Whether a symbol belongs to a type and is no function: a field, a property, what methods give their object.
async fn is_value_of_type(asking: &QueryContext, subject: &Subject) -> Result<bool, Problem> {
    let nodes = asking.outline(&subject.path).await?;
    let Some(own) = outline::named_at(&nodes, subject.point) else {
        return Ok(is_member(asking, &subject.path, Extent::at(subject.point)).await);
    };
    let is_in_type = own.around.last().is_some_and(|it| matches!(it.kind, "class" | "struct" | "interface"));
    let is_value = match own.node.kind {
        "field" | "property" | "variable" | "constant" => true,
        // Some servers call what is read like a field a method.
        "method" => is_property(asking, subject).await,
        _ => false,
    };
    Ok(is_in_type && is_value)
}

/// Whether the syntax says that a method is read like a field: by `@property`, say.
async fn is_property(asking: &QueryContext, subject: &Subject) -> bool {
    let Some((text, syntax)) = file_syntax::syntax(asking, &subject.path).await else { return false };
    let at = syntax_facts::offset(&text, subject.point);
    let own = syntax.outline().definitions.iter().find(|it| it.name_at.start == at);
    own.is_some_and(|it| it.kind == Kind::Property)
}

/// Whether what stands there is written as a member of something.
pub(crate) async fn is_member(asking: &QueryContext, path: &Path, extent: Extent) -> bool {
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(extent.start.line.index())).unwrap_or_default();
    let before: String = line.chars().take(extent.start.column.index()).collect();
    before.trim_end().ends_with('.')
}

/// Says where the server cannot tell what a name means; of how many at least, where not all were asked about.
pub(crate) fn told_unclear<'a>(
    asking: &QueryContext,
    roots: &Roots,
    (name, what): (&str, &str),
    (unclear, is_cut): (impl IntoIterator<Item = &'a (PathBuf, Extent)>, bool),
) -> Option<String> {
    let unclear: Vec<_> = unclear.into_iter().collect();
    let at_least = if is_cut { "at least " } else { "" };
    let (count, places) = (unclear.len(), places(roots, unclear, NAMED));
    let (uses, lead) = if count == 1 { (what.to_owned(), "leads") } else { (format!("{what}s"), "lead") };
    let server = asking.server.name();
    (count > 0).then(|| {
        format!("{server} cannot tell where {at_least}{count} {uses} of a `{name}` {lead}: {places}")
    })
}
