//! Uses that a server resolves but does not list.
//!
//! A ready server may leave references out: those in imports, or in files that it indexes late or never.
//! Resolving each mention of the name finds them. A mention that does not resolve, as on a receiver of
//! unknown type, may be a use or not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::{Line, Listing, Operation, QuotedLine, Reason};
use syntax::Kind;

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::follow::{ResolvedMention, ResolvedMentions};
use crate::fallback::operations::lookup::mentions::extents;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::excerpt;
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::syntactic::syntax_facts::Usage;
use crate::fallback::workspace::format_places::NAMED;
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
    let near = uses.extents.iter().map(|(path, _)| path).chain(uses.home.iter().map(|(path, _)| path));
    let near: BTreeSet<_> = near.map(PathBuf::as_path).collect();
    let mut missed = follow::uses_near((asking, roots), &beyond.lines, &uses.home, name, &near).await?;
    let beside = follow::beside(asking, &uses.extents, &uses.home, name).await;
    let beside = follow::uses((asking, roots), &beside, &uses.home, name).await?;
    missed.uses.extend(beside.uses.into_iter().filter(|it| !uses.extents.contains(it)));
    missed.elsewhere.extend(beside.elsewhere);
    let is_far = missed.uses.iter().any(|(path, _)| !near.contains(path.as_path()));
    if is_far || missed.is_cut && !missed.uses.is_empty() {
        // Resolving the mentions may have made the server read more files, so query it again.
        let at = (query.subject.path.clone(), query.subject.point, query.include_declaration);
        let again = asking.references_uncached(at).await?;
        uses.extents.extend(extents(asking, &again.unwrap_or_default()).await?);
    }
    uses.extents.extend(missed.uses.iter().cloned());
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

/// Returns the possible uses that the server cannot resolve: calls on a receiver of unknown type, and mentions in
/// macro bodies. Reads as a member count too, and writes for a field or property. Other roles are mostly keys and
/// arguments.
pub(crate) async fn unclear_calls(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
    (unclear, is_cut): (&[(PathBuf, Extent)], bool),
) -> Result<Option<UnclearPlaces>, Problem> {
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
    let is_call = calls.len() == uses.len();
    Ok(UnclearPlaces::of(asking, roots, (&subject.name, is_call), (uses, is_cut)).await)
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
    let own = syntax.outline(&text).definitions.iter().find(|it| it.name_at.start == at);
    own.is_some_and(|it| it.kind == Kind::Property)
}

/// Returns `true` if the name is written as a member, behind a dot.
pub(crate) async fn is_member(asking: &QueryContext, path: &Path, extent: Extent) -> bool {
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(extent.start.line.index())).unwrap_or_default();
    let before: String = line.chars().take(extent.start.column.index()).collect();
    before.trim_end().ends_with('.')
}

/// Places that the server cannot resolve and that may be uses.
pub(crate) struct UnclearPlaces {
    server: String,
    name: String,
    /// `true` if all of them are calls.
    is_call: bool,
    count: usize,
    /// `true` if there may be more.
    is_cut: bool,
    places: Listing<QuotedLine>,
}

impl UnclearPlaces {
    /// Counts the places, and lists the first with their lines; `None` if there are none. If `is_cut`, not all were
    /// checked.
    pub(crate) async fn of<'a>(
        asking: &QueryContext,
        roots: &SessionFolders,
        (name, is_call): (&str, bool),
        (unclear, is_cut): (impl IntoIterator<Item = &'a (PathBuf, Extent)>, bool),
    ) -> Option<Self> {
        let unclear: BTreeSet<_> = unclear.into_iter().collect();
        if unclear.is_empty() {
            return None;
        }
        let (server, name, count) = (asking.server.name().to_owned(), name.to_owned(), unclear.len());
        let places = quoted(asking, roots, unclear).await;
        Some(Self { server, name, is_call, count, is_cut, places })
    }

    /// Returns the remark on an answer that has all other uses.
    pub(crate) fn maybe_uses(self) -> Reason {
        let Self { server, name, is_call, count, is_cut, places } = self;
        Reason::MaybeUses { server, name, is_call, count, is_cut, places }
    }

    /// Returns the reason why an answer may be incomplete.
    pub(crate) fn gap(self) -> Reason {
        let Self { server, name, is_call, count, is_cut, places } = self;
        Reason::Unresolved { server, name, is_call, count, is_cut, places }
    }
}

/// Lists the first distinct lines with their text, and counts the places in the others.
async fn quoted(
    asking: &QueryContext,
    roots: &SessionFolders,
    places: BTreeSet<&(PathBuf, Extent)>,
) -> Listing<QuotedLine> {
    let mut lines: BTreeMap<(String, Line), Vec<&(PathBuf, Extent)>> = BTreeMap::new();
    for place in places {
        lines.entry((roots.display_path(&place.0), place.1.start.line)).or_default().push(place);
    }
    let more = lines.values().skip(NAMED).map(Vec::len).sum();
    let mut shown = Vec::new();
    for ((path, line), places) in lines.into_iter().take(NAMED) {
        let text = asking.text(&places[0].0).await;
        let code = text.as_ref().and_then(|it| it.line(line.index())).unwrap_or_default();
        let text = excerpt(code, places[0].1.start.column.index());
        shown.push(QuotedLine { path, line, times: places.len(), text });
    }
    Listing { shown, more }
}
