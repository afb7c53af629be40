//! Subtypes and supertypes that a server does not list, found through the heads of types.
//!
//! A server may not have read a file yet. It may also stop at a name that a `using` declaration introduces,
//! or at the instance of a template.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::{Hierarchy, Navigation, Operation, Point, Reason};

use super::correction::{Context, Correction, Related, Scope};
use super::redeclared_members;
use super::unlisted_references::UnclearPlaces;
use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::follow::{ResolvedMention, ResolvedMentions};
use crate::fallback::operations::lookup::leads::{led_to, there};
use crate::fallback::operations::lookup::mentions::mentions;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::SupertypeRule;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::syntactic::syntax_facts::offset;
use crate::fallback::workspace::format_places::{NAMED, places};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "unlisted-subtypes", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Subtypes, Operation::Supertypes, Operation::Implementations],
    why: "ty, tsc and clangd leave out subtypes in files that they have not read, behind aliases, and of \
          templates; clangd 22.1 leaves out supertypes behind `using`",
    related: Some(|context, related| Box::pin(correct(context, related))),
    ..Correction::NONE
};

/// Adds unlisted subtypes, and in C and C++ also unlisted supertypes.
async fn correct(context: &Context<'_>, related: &mut Related) -> Result<(), Problem> {
    let (asking, roots) = (context.asking, context.roots);
    let listed: Vec<_> = related.listed.iter().map(|(it, _)| it.clone()).collect();
    let (types, gaps) = match related.way {
        Hierarchy::Subtypes => subtypes(asking, roots, &related.of, &listed).await?,
        Hierarchy::Supertypes if asking.server.setup.language.declares_apart => {
            supertypes(asking, roots, &related.of, &listed).await?
        }
        _ => return Ok(()),
    };
    related.added.extend(types);
    related.gaps.extend(gaps);
    Ok(())
}

/// The maximum number of lines of a type's head that are read.
const LINES: usize = 20;

/// Returns the unlisted subtypes of a type, and reasons about places that may extend it.
async fn subtypes(
    asking: &QueryContext,
    roots: &SessionFolders,
    of: &Candidate,
    listed: &[Candidate],
) -> Result<(Vec<Candidate>, Vec<Reason>), Problem> {
    let (mut found, mut gaps): (Vec<Candidate>, _) = (Vec::new(), Vec::new());
    // Embedding a type in Go does not implement it, and in Rust a type's head does not name its traits.
    if matches!(asking.server.setup.language.supertypes, SupertypeRule::Structural | SupertypeRule::Blocks)
        || !SCOPE.applies(asking)
    {
        return Ok((found, gaps));
    }
    let mentions = mentions(asking, roots, &of.name).await;
    let named = follow::named_on(asking, roots, &mentions.lines, &of.name).await;
    let mut heads: BTreeMap<(PathBuf, Extent), Option<Candidate>> = BTreeMap::new();
    for place @ (path, extent) in
        file_syntax::with_usage(asking, roots, &named, syntax_facts::Usage::is_implementation).await
    {
        let around = type_around(asking, path, extent.start).await?;
        let is_it = |it: &Candidate| around.as_ref().is_some_and(|around| around.name_at == it.name_at);
        let is_on_line = |it: &Candidate| it.name_at.start.line == extent.start.line;
        if !listed.iter().any(|it| it.path == *path && (is_it(it) || is_on_line(it))) {
            heads.insert(place.clone(), around);
        }
    }
    let mut lines: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
    for (path, extent) in heads.keys() {
        lines.entry(path.clone()).or_default().insert(extent.start.line.index());
    }
    let home = [(of.path.clone(), of.name_at.start)].into();
    let ResolvedMentions { uses, mut unclear, elsewhere, is_cut, .. } =
        follow::uses((asking, roots), &lines, &home, &of.name).await?;
    // An unresolved name leads to the type around it.
    let leads_back = |it: &ResolvedMention| {
        let around = heads.get(&it.from).and_then(Option::as_ref);
        around.is_some_and(|around| it.to.iter().all(|to| *to == place(around)))
    };
    unclear.extend(elsewhere.into_iter().filter(leads_back).map(|it| it.from));
    let mut nameless = Vec::new();
    for place in uses {
        match heads.get(&place) {
            Some(Some(it)) => found.push(it.clone()),
            Some(None) => nameless.push(place),
            None => {}
        }
    }
    if !nameless.is_empty() {
        let (server, name) = (asking.server.name().to_owned(), of.name.clone());
        let places = places(roots, &nameless, NAMED);
        gaps.push(Reason::ExtendingNotListed { server, name, places });
    }
    unclear.retain(|it| heads.contains_key(it));
    let places = UnclearPlaces::of(asking, roots, (&of.name, false), (&unclear, is_cut)).await;
    gaps.extend(places.map(UnclearPlaces::gap));
    if !mentions.complete || is_cut && unclear.is_empty() {
        gaps.push(Reason::ExtendingNotSearched { name: of.name.clone() });
    }
    Ok((found, gaps))
}

/// Returns the unlisted supertypes of a type, and reasons about names that the server cannot resolve.
async fn supertypes(
    asking: &QueryContext,
    roots: &SessionFolders,
    of: &Candidate,
    listed: &[Candidate],
) -> Result<(Vec<Candidate>, Vec<Reason>), Problem> {
    let (mut found, mut gaps): (Vec<Candidate>, _) = (Vec::new(), Vec::new());
    let (Some(text), language) = (asking.text(&of.path).await, asking.server.setup.language) else {
        return Ok((found, gaps));
    };
    let first = of.name_at.end.line.index();
    let mut named = Vec::new();
    for line in first..=of.whole.end.line.index().min(first + LINES) {
        let words = language.words(text.line(line).unwrap_or_default()).into_iter();
        named.extend(words.map(|(_, columns)| (of.path.clone(), Extent::within(line, columns))));
    }
    for place @ (path, extent) in
        file_syntax::with_usage(asking, roots, &named, syntax_facts::Usage::is_implementation).await
    {
        if type_around(asking, path, extent.start).await?.is_none_or(|it| it.name_at != of.name_at) {
            continue; // the head of a nested type
        }
        let mut bases = led_to(asking, path, extent.start).await?;
        // An alias is not the base itself, so resolve it to its type.
        if any_alias(asking, &bases).await {
            bases.clear();
            for target in asking.goto(Navigation::TypeDefinitions, path, extent.start).await? {
                bases.extend(there(asking, &target, None).await?);
            }
        }
        // An unresolved name leads to the type around it.
        bases.retain(|it| self::place(it) != self::place(of));
        if bases.is_empty() {
            let name = text.word(*extent).unwrap_or_default();
            let places = UnclearPlaces::of(asking, roots, (&name, false), ([place], false)).await;
            gaps.extend(places.map(UnclearPlaces::gap));
        }
        bases.retain(|it| !listed.iter().chain(&found).any(|other| self::place(it) == self::place(other)));
        found.extend(bases.into_iter().filter(|it| is_type(&it.kind)));
    }
    Ok((found, gaps))
}

/// Returns the innermost type around a point.
pub(crate) async fn type_around(
    asking: &QueryContext,
    path: &Path,
    point: Point,
) -> Result<Option<Candidate>, Problem> {
    redeclared_members::around(asking, path, point, is_type).await
}

/// Returns `true` if one of the candidates is an alias of a type.
async fn any_alias(asking: &QueryContext, found: &[Candidate]) -> bool {
    for it in found {
        let text = asking.text(&it.path).await;
        let code =
            text.as_ref().map(|text| &text.as_str()[offset(text, it.whole.start)..]).unwrap_or_default();
        if ["using", "typedef"].into_iter().any(|word| code.starts_with(word)) {
            return true;
        }
    }
    false
}

fn place(candidate: &Candidate) -> (PathBuf, Point) {
    (candidate.path.clone(), candidate.name_at.start)
}

fn is_type(kind: &str) -> bool {
    matches!(kind, "class" | "struct" | "interface" | "enum")
}
