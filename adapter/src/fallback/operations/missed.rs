//! Uses that a server knows of and did not list.
//!
//! Asked for all uses of a symbol, a server that is ready may still leave some out: those in files that it indexes
//! later or never, or those in imports. Asked the other way round, what the word on a line leads to, it gives them
//! away. Where the word leads nowhere at all, as on a receiver whose type nothing says, it may be a use or not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::{Column, Line, Point};
use syntax::Kind;

use super::candidate::ALIASES;
use super::listed::places;
use super::preprocessed;
use super::subject::Subject;
use crate::fallback::session::query_context::{Asking, Problem, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::syntactic::syntax_facts::Usage;
use crate::fallback::workspace::session_folders::SessionFolders;

/// How many lines are asked about.
const LINES: usize = 64;

/// How many of them, where each file that is asked about has to be compiled for that.
const COSTLY_LINES: usize = 16;

/// How many times as many, where some of those lead home.
const WHERE_SOME_DO: usize = 8;

/// How many places are named.
const NAMED: usize = 5;

/// How many at the same time.
const AT_ONCE: usize = 8;

/// What names lead to.
#[derive(Debug, Default)]
pub(super) struct Missed {
    /// Those that lead home.
    pub(super) uses: Vec<(PathBuf, Extent)>,
    /// Those of which the server cannot tell where they lead.
    pub(super) unclear: Vec<(PathBuf, Extent)>,
    /// Those that lead somewhere else.
    pub(super) elsewhere: Vec<Led>,
    /// To what else those lead that lead home.
    beside: BTreeSet<(PathBuf, Point)>,
    /// How many lines were not asked about although others lead home.
    pub(super) unasked: usize,
    /// Whether there are lines that were not asked about.
    pub(super) is_cut: bool,
}

/// A name that leads somewhere.
#[derive(Debug)]
pub(super) struct Led {
    pub(super) from: (PathBuf, Extent),
    pub(super) to: Vec<(PathBuf, Point)>,
}

/// Where a name leads.
enum Lead {
    /// And to these.
    Home(Vec<(PathBuf, Point)>),
    Elsewhere(Vec<(PathBuf, Point)>),
    Nowhere,
}

/// Where the name, on one of these lines, leads to one of the definitions at `home` and defines nothing itself.
pub(super) async fn uses(
    (asking, roots): (&Asking, &SessionFolders),
    beyond: &BTreeMap<PathBuf, BTreeSet<usize>>,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> Result<Missed, Problem> {
    let few = if asking.profile().files.awaits_diagnostics { COSTLY_LINES } else { LINES };
    let all = spread(beyond);
    let (mut missed, mut next) = (Missed::default(), 0);
    while next < all.len() && next < if missed.uses.is_empty() { few } else { few * WHERE_SOME_DO } {
        let few = &all[next..all.len().min(next + AT_ONCE)];
        next += few.len();
        let asked = few.iter().map(|(path, line)| leading_home((asking, roots), path, *line, home, name));
        let answers = try_join_all(asked).await?;
        for some in answers {
            missed.uses.extend(some.uses);
            missed.unclear.extend(some.unclear);
            missed.elsewhere.extend(some.elsewhere);
            missed.beside.extend(some.beside);
        }
    }
    missed.is_cut = next < all.len();
    missed.unasked = if missed.uses.is_empty() { 0 } else { all.len() - next };
    Ok(missed)
}

/// The lines with a use on which the name stands where no use is: a server that leaves some out lists one of a line.
pub(super) async fn beside(
    asking: &Asking,
    uses: &BTreeSet<(PathBuf, Extent)>,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> BTreeMap<PathBuf, BTreeSet<usize>> {
    let mut beside: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
    let mut known: BTreeMap<(&PathBuf, usize), BTreeSet<usize>> = BTreeMap::new();
    let uses = uses.iter().map(|(path, extent)| (path, extent.start));
    for (path, point) in uses.chain(home.iter().map(|(path, point)| (path, *point))) {
        known.entry((path, point.line.index())).or_default().insert(point.column.index());
    }
    for ((path, line), columns) in known {
        let Some(text) = asking.text(path).await else { continue };
        let words = asking.server.setup.language.words(text.line(line).unwrap_or_default());
        if words.iter().any(|(word, at)| word == name && !columns.contains(&at.start)) {
            beside.entry(path.clone()).or_default().insert(line);
        }
    }
    beside
}

/// Where the name leads to a use in another file and no further, or to what names that lead home lead to as well: the
/// server stops there, as at what a module exports by assignment.
pub(super) async fn bridged(
    asking: &Asking,
    roots: &SessionFolders,
    missed: &Missed,
    uses: &BTreeSet<(PathBuf, Extent)>,
) -> BTreeSet<(PathBuf, Extent)> {
    let beside: Vec<_> = missed.beside.iter().map(|(path, it)| (path.clone(), Extent::at(*it))).collect();
    let exported = file_syntax::playing(asking, roots, &beside, |it| it.role == "write").await;
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
pub(super) async fn leading_to_members(
    asking: &Asking,
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
pub(super) fn told_bridged(
    asking: &Asking,
    roots: &SessionFolders,
    name: &str,
    bridged: &BTreeSet<(PathBuf, Extent)>,
) -> Option<String> {
    let (server, places) = (asking.server.name(), places(roots, bridged, NAMED));
    (!bridged.is_empty()).then(|| {
        format!("{server} does not follow `{name}` through its export: what is behind {places} was found by the name")
    })
}

/// Some lines of every file before all lines of some.
pub(super) fn spread(lines: &BTreeMap<PathBuf, BTreeSet<usize>>) -> Vec<(&PathBuf, usize)> {
    let mut all: Vec<_> = lines
        .iter()
        .flat_map(|(path, lines)| lines.iter().enumerate().map(move |(rank, line)| (rank, path, *line)))
        .collect();
    all.sort();
    all.into_iter().map(|(_, path, line)| (path, line)).collect()
}

async fn leading_home(
    (asking, roots): (&Asking, &SessionFolders),
    path: &Path,
    line: usize,
    home: &BTreeSet<(PathBuf, Point)>,
    name: &str,
) -> Result<Missed, Problem> {
    let mut missed = Missed::default();
    if asking.text(path).await.is_none() {
        // It could be searched a moment ago.
        let start = Point { line: Line::from_index(line), column: Column::FIRST };
        missed.unclear.push((path.to_owned(), Extent::at(start)));
    }
    for extent in named(asking, roots, path, line, name).await {
        let from = (path.to_owned(), extent);
        match lead(asking, path, extent.start, home).await? {
            Lead::Nowhere => missed.unclear.push(from),
            Lead::Home(beside) => {
                missed.beside.extend(beside);
                // What defines an attribute by writing it is a use as well.
                let defines_alone = home.contains(&(from.0.clone(), extent.start))
                    && !file_syntax::playing(asking, roots, [&from], |it| it.role == "definition")
                        .await
                        .is_empty();
                if !defines_alone && !defines(asking, path, extent.start).await? {
                    missed.uses.push(from);
                }
            }
            Lead::Elsewhere(to) => missed.elsewhere.push(Led { from, to }),
        }
    }
    Ok(missed)
}

/// Where a name stands on these lines as code.
pub(super) async fn named_on(
    asking: &Asking,
    roots: &SessionFolders,
    lines: &BTreeMap<PathBuf, BTreeSet<usize>>,
    name: &str,
) -> BTreeSet<(PathBuf, Extent)> {
    let mut all = BTreeSet::new();
    for (path, lines) in lines {
        for line in lines {
            let here = named(asking, roots, path, *line, name).await;
            all.extend(here.into_iter().map(|it| (path.clone(), it)));
        }
    }
    all
}

/// Where a name stands on a line as code.
pub(super) async fn named(
    asking: &Asking,
    roots: &SessionFolders,
    path: &Path,
    line: usize,
    name: &str,
) -> Vec<Extent> {
    let text = asking.text(path).await;
    let Some(code) = text.as_ref().and_then(|it| it.line(line)) else { return Vec::new() };
    let language = asking.server.setup.language;
    let words = language.words(code).into_iter().filter(|(word, _)| word == name);
    let all: Vec<_> = words.map(|(_, columns)| Extent::within(line, columns)).collect();
    let Some((code, _)) = code.split_once(language.comment) else { return all };
    // What documentation links to is no use of it; but those marks may as well stand in a string.
    let (before, behind): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|it| it.start.column.index() < code.chars().count());
    if behind.is_empty() {
        return before;
    }
    let usages = file_syntax::of(asking, roots, path, &behind).await.unwrap_or_default();
    let is_code = |it: &Usage| !matches!(it.role, "documentation" | "comment" | "string");
    let behind = behind.into_iter().zip(usages).filter(|(_, it)| is_code(it)).map(|(it, _)| it);
    before.into_iter().chain(behind).collect()
}

async fn lead(
    asking: &Asking,
    path: &Path,
    point: Point,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Result<Lead, Problem> {
    let places = asking.places(path, point).await?;
    // A place that is in no text tells nothing.
    if places.is_empty() || !is_told(asking, path, point).await? {
        return Ok(Lead::Nowhere);
    }
    let (at_home, elsewhere): (Vec<_>, Vec<_>) = places.into_iter().partition(|it| home.contains(it));
    Ok(if at_home.is_empty() { Lead::Elsewhere(elsewhere) } else { Lead::Home(elsewhere) })
}

/// Whether what a name leads to counts: the server sees a symbol there, or it stands in the body of a macro, where nobody
/// sees one before the macro is used.
async fn is_told(asking: &Asking, path: &Path, point: Point) -> Result<bool, Problem> {
    if asking.sees(path, point).await? {
        return Ok(true);
    }
    let Some(text) = asking.text(path).await else { return Ok(false) };
    let line = text.line(point.line.index()).unwrap_or_default();
    let word = asking.server.setup.language.word_at(line, point.column.index());
    Ok(word.is_some_and(|(word, _)| preprocessed::is_in_macro(&text, point, &word)))
}

/// Says where calls stand of which the server cannot tell whose they are: on a receiver whose type it does not know; and
/// what stands in the body of a macro, of which nobody can tell before it is used. Of what is no function but belongs to
/// a type, where it is read or written as a member of something. Other roles are mostly keys and arguments.
pub(super) async fn unclear_calls(
    asking: &Asking,
    roots: &SessionFolders,
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
        file_syntax::playing(asking, roots, &members, |it| matches!(it.role, "read" | "write")).await;
    let calls = file_syntax::playing(asking, roots, unclear, |it| it.role == "call").await;
    let in_macros = file_syntax::playing(asking, roots, unclear, Usage::is_in_macro).await;
    let uses: BTreeSet<_> = calls.iter().copied().chain(in_macros).chain(members).collect();
    let what = if calls.len() == uses.len() { "call" } else { "use" };
    Ok(told_unclear(asking, roots, (&subject.name, what), (uses, is_cut)))
}

/// Whether a symbol belongs to a type and is no function: a field, a property, what methods give their object.
async fn is_value_of_type(asking: &Asking, subject: &Subject) -> Result<bool, Problem> {
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
async fn is_property(asking: &Asking, subject: &Subject) -> bool {
    let Some((text, syntax)) = file_syntax::syntax(asking, &subject.path).await else { return false };
    let at = syntax_facts::offset(&text, subject.point);
    let own = syntax.outline().definitions.iter().find(|it| it.name_at.start == at);
    own.is_some_and(|it| it.kind == Kind::Property)
}

/// Whether what stands there is written as a member of something.
pub(super) async fn is_member(asking: &Asking, path: &Path, extent: Extent) -> bool {
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(extent.start.line.index())).unwrap_or_default();
    let before: String = line.chars().take(extent.start.column.index()).collect();
    before.trim_end().ends_with('.')
}

/// Says where the server cannot tell what a name means; of how many at least, where not all were asked about.
pub(super) fn told_unclear<'a>(
    asking: &Asking,
    roots: &SessionFolders,
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

/// Whether the name there is that of a definition: of a declaration in a header, say. Outlines list imported names
/// too, as variables.
async fn defines(asking: &Asking, path: &Path, point: Point) -> Result<bool, Problem> {
    let nodes = asking.outline(path).await?;
    let declares_apart = asking.server.setup.language.declares_apart;
    let defines = |kind: &str| declares_apart || !ALIASES.contains(&kind) && kind != outline::IMPL;
    Ok(outline::named_at(&nodes, point).is_some_and(|it| defines(it.node.kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_its_turn() {
        let lines = [("a", [1, 2, 3]), ("b", [4, 5, 6])];
        let lines: BTreeMap<PathBuf, BTreeSet<usize>> =
            lines.into_iter().map(|(path, lines)| (path.into(), lines.into())).collect();
        let spread: Vec<_> =
            spread(&lines).into_iter().map(|(path, line)| (path.to_str().unwrap(), line)).collect();
        assert_eq!(spread[..3], [("a", 1), ("b", 4), ("a", 2)]);
    }
}
