//! Uses that a server resolves but does not list.
//!
//! A ready server may leave references out: those in imports, or in files that it indexes late or never.
//! Resolving each mention of the name finds them. A mention that does not resolve, as on a receiver of
//! unknown type, may be a use or not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::{Line, Operation};
use syntax::Kind;

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::follow::{ResolvedMention, ResolvedMentions};
use crate::fallback::operations::lookup::format_places::NAMED;
use crate::fallback::operations::lookup::mentions::extents;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::excerpt;
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::syntactic::syntax_facts::Usage;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "unlisted-references", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations],
    why: "rust-analyzer, ty, basedpyright, tsc and clangd leave out references in files that they index \
          late or never, one of two on a line, and those behind imports",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// Adds the mentions that resolve to the symbol.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let (asking, roots, name) = (query.asking(), query.roots(), &query.subject.name);
    let beyond = uses.beyond();
    let mut missed = follow::uses((asking, roots), &beyond.lines, &uses.home, name).await?;
    let beside = follow::beside(asking, &uses.extents, &uses.home, name).await;
    let beside = follow::uses((asking, roots), &beside, &uses.home, name).await?;
    missed.uses.extend(beside.uses.into_iter().filter(|it| !uses.extents.contains(it)));
    missed.elsewhere.extend(beside.elsewhere);
    if !missed.uses.is_empty() {
        // Resolving the mentions may have made the server read more files, so query it again.
        let at = (query.subject.path.clone(), query.subject.point, query.include_declaration);
        let again = asking.references_uncached(at).await?;
        uses.extents.extend(extents(asking, &again.unwrap_or_default()).await?);
        uses.extents.extend(missed.uses.iter().cloned());
    }
    uses.missed = missed;
    Ok(())
}

/// Returns the mentions that resolve to a member of the type called `name`, such as its constructor. In C++
/// an expression that creates an object names its type.
pub(crate) async fn leading_to_members(
    asking: &QueryContext,
    missed: &ResolvedMentions,
    name: &str,
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    let mut leading = Vec::new();
    if !asking.server.setup.language.declares_apart {
        return Ok(leading);
    }
    for ResolvedMention { from, to } in &missed.elsewhere {
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

/// Returns a note that lists possible uses that the server cannot resolve: calls on a receiver of unknown
/// type, and mentions in macro bodies. Reads as a member count too, and writes for a field or property. Other
/// roles are mostly keys and arguments.
pub(crate) async fn unclear_calls(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
    (unclear, is_cut): (&[(PathBuf, Extent)], bool),
) -> Result<Option<String>, Problem> {
    let is_value = is_value_of_type(asking, subject).await?;
    let mut members = BTreeSet::new();
    for (path, extent) in unclear {
        if is_member(asking, path, *extent).await {
            members.insert((path.clone(), *extent));
        }
    }
    let is_use = |it: &Usage| it.role == "read" || is_value && it.role == "write";
    let members = file_syntax::with_usage(asking, roots, &members, is_use).await;
    let calls = file_syntax::with_usage(asking, roots, unclear, Usage::is_call).await;
    let in_macros = file_syntax::with_usage(asking, roots, unclear, Usage::is_in_macro).await;
    let uses: BTreeSet<_> = calls.iter().copied().chain(in_macros).chain(members).collect();
    let what = if calls.len() == uses.len() { "call" } else { "use" };
    Ok(unclear_note(asking, roots, (&subject.name, what), (uses, is_cut)).await)
}

/// Returns `true` if a symbol belongs to a type and is no function: a field, a property, or an assigned
/// attribute.
pub(crate) async fn is_value_of_type(asking: &QueryContext, subject: &Subject) -> Result<bool, Problem> {
    let nodes = asking.outline(&subject.path).await?;
    let Some(own) = outline::named_at(&nodes, subject.point) else {
        return Ok(is_member(asking, &subject.path, Extent::at(subject.point)).await);
    };
    let is_in_type = own.around.last().is_some_and(|it| matches!(it.kind, "class" | "struct" | "interface"));
    let is_value = match own.node.kind {
        "field" | "property" | "variable" | "constant" => true,
        // Some servers report a property as a method.
        "method" => is_property(asking, subject).await,
        _ => false,
    };
    Ok(is_in_type && is_value)
}

/// Returns `true` if the syntax marks a method as a property, as `@property` does.
async fn is_property(asking: &QueryContext, subject: &Subject) -> bool {
    let Some((text, syntax)) = file_syntax::syntax(asking, &subject.path).await else { return false };
    let at = syntax_facts::offset(&text, subject.point);
    let own = syntax.outline().definitions.iter().find(|it| it.name_at.start == at);
    own.is_some_and(|it| it.kind == Kind::Property)
}

/// Returns `true` if the name is written as a member, behind a dot.
pub(crate) async fn is_member(asking: &QueryContext, path: &Path, extent: Extent) -> bool {
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(extent.start.line.index())).unwrap_or_default();
    let before: String = line.chars().take(extent.start.column.index()).collect();
    before.trim_end().ends_with('.')
}

/// Returns a note that counts mentions that the server cannot resolve, and lists them with their lines. If
/// `is_cut`, not all were checked, and the note gives the count as a minimum.
pub(crate) async fn unclear_note<'a>(
    asking: &QueryContext,
    roots: &SessionFolders,
    (name, what): (&str, &str),
    (unclear, is_cut): (impl IntoIterator<Item = &'a (PathBuf, Extent)>, bool),
) -> Option<String> {
    let unclear: BTreeSet<_> = unclear.into_iter().collect();
    if unclear.is_empty() {
        return None;
    }
    let at_least = if is_cut { "at least " } else { "" };
    let (count, server) = (unclear.len(), asking.server.name());
    let (uses, lead) = if count == 1 { (what.to_owned(), "leads") } else { (format!("{what}s"), "lead") };
    let places = places_with_text(asking, roots, unclear).await;
    Some(format!("{server} cannot tell where {at_least}{count} {uses} of a `{name}` {lead}: {places}"))
}

/// Formats the first distinct lines with their text, and counts the places in the others: `a.py:3 x.f() and 4
/// more`.
async fn places_with_text(
    asking: &QueryContext,
    roots: &SessionFolders,
    places: BTreeSet<&(PathBuf, Extent)>,
) -> String {
    let mut lines: BTreeMap<(String, Line), Vec<&(PathBuf, Extent)>> = BTreeMap::new();
    for place in places {
        lines.entry((roots.display_path(&place.0), place.1.start.line)).or_default().push(place);
    }
    let mut shown = Vec::new();
    for ((path, line), places) in lines.iter().take(NAMED) {
        let text = asking.text(&places[0].0).await;
        let code = text.as_ref().and_then(|it| it.line(line.index())).unwrap_or_default();
        let code = excerpt(code, places[0].1.start.column.index());
        let times = if places.len() > 1 { format!(" ({} times)", places.len()) } else { String::new() };
        let code = if code.is_empty() { code } else { format!(" `{code}`") };
        shown.push(format!("{path}:{line}{times}{code}"));
    }
    let more: usize = lines.values().skip(NAMED).map(Vec::len).sum();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
