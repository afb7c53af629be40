//! Which type extends which, as their heads say, where a server does not list it: that may be behind with reading, or stop
//! at a name that a declaration brought in, or at what is made of a template.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::{Navigation, Point};

use super::unlisted_references;
use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::follow::{Led, Missed};
use crate::fallback::operations::lookup::format_places::places;
use crate::fallback::operations::lookup::leads::{led_to, there};
use crate::fallback::operations::lookup::mentions::mentions;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::{Candidate, of_node};
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::syntactic::syntax_facts::offset;
use crate::fallback::workspace::session_folders::Roots;

/// How many lines of a head are read.
const LINES: usize = 20;

/// How many places are named.
const NAMED: usize = 5;

/// Finds what extends a type and is not listed, and what to say of what may.
pub(crate) async fn subtypes(
    asking: &QueryContext,
    roots: &Roots,
    of: &Candidate,
    listed: &[Candidate],
) -> Result<(Vec<Candidate>, Vec<String>), Problem> {
    let (mut found, mut notes): (Vec<Candidate>, _) = (Vec::new(), Vec::new());
    // What a type of Go holds without a name is none that it implements, and in Rust no head of a type names what it does.
    if matches!(asking.server.setup.language.id, "go" | "rust") {
        return Ok((found, notes));
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
    let Missed { uses, mut unclear, elsewhere, is_cut, .. } =
        follow::uses((asking, roots), &lines, &home, &of.name).await?;
    // What is not known leads to what it stands in.
    let leads_back = |it: &Led| {
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
        let (server, name, at) = (asking.server.name(), &of.name, places(roots, &nameless, NAMED));
        notes.push(format!("{server} does not list what extends `{name}` at {at}"));
    }
    unclear.retain(|it| heads.contains_key(it));
    notes.extend(unlisted_references::told_unclear(asking, roots, (&of.name, "use"), (&unclear, is_cut)));
    if !mentions.complete || is_cut && unclear.is_empty() {
        notes.push(format!("not every place could be looked at that may extend `{}`", of.name));
    }
    Ok((found, notes))
}

/// Finds what a type extends and is not listed, and what to say of what it may.
pub(crate) async fn supertypes(
    asking: &QueryContext,
    roots: &Roots,
    of: &Candidate,
    listed: &[Candidate],
) -> Result<(Vec<Candidate>, Vec<String>), Problem> {
    let (mut found, mut notes): (Vec<Candidate>, _) = (Vec::new(), Vec::new());
    let (Some(text), language) = (asking.text(&of.path).await, asking.server.setup.language) else {
        return Ok((found, notes));
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
            continue; // a head inside of it
        }
        let mut bases = led_to(asking, path, extent.start).await?;
        // What only stands for another type is not what is extended.
        if any_alias(asking, &bases).await {
            bases.clear();
            for target in asking.goto(Navigation::TypeDefinitions, path, extent.start).await? {
                bases.extend(there(asking, &target, None).await?);
            }
        }
        // What is not known leads to what it stands in.
        bases.retain(|it| self::place(it) != self::place(of));
        if bases.is_empty() {
            let name = text.word(*extent).unwrap_or_default();
            notes.extend(unlisted_references::told_unclear(asking, roots, (&name, "use"), ([place], false)));
        }
        bases.retain(|it| !listed.iter().chain(&found).any(|other| self::place(it) == self::place(other)));
        found.extend(bases.into_iter().filter(|it| is_type(&it.kind)));
    }
    Ok((found, notes))
}

/// The innermost type that holds a point.
async fn type_around(asking: &QueryContext, path: &Path, point: Point) -> Result<Option<Candidate>, Problem> {
    let nodes = asking.outline(path).await?;
    let all = outline::all(&nodes);
    let around = all.iter().rfind(|it| is_type(it.node.kind) && it.node.whole.holds(point));
    Ok(around.map(|it| of_node(path, it, &Name::any())))
}

/// Whether one of these gives another name to a type.
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
