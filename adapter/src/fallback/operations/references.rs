//! Where a symbol is used, with what else mentions its name.

use crate::fallback::operations::lookup::mentions::Beyond;
use crate::fallback::operations::lookup::mentions::extents;
use crate::fallback::operations::lookup::mentions::home;
use crate::fallback::operations::lookup::mentions::mentions;
use crate::fallback::operations::lookup::mentions::overloads;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::{join, try_join_all};
use ide_protocol::{FileRange, Location, Point, ReferencesRequest, ReferencesResult, Source, Target};

use super::corrections::overrides::{Apart, Relatives};
use super::corrections::redeclared_members::{Reassigned, defined_above};
use super::corrections::{
    assigned_members, declared_apart, false_references, import_aliases, operator_calls, pytest_fixtures,
    same_name_symbols, self_types, separate_programs, unlisted_references, unresolved_imports,
};
use super::lookup::candidates::file_range;
use super::lookup::follow;
use super::lookup::follow::Missed;
use super::lookup::target::{Subject, is_written_by_macro, nothing_there, subjects};
use crate::blocking;
use crate::fallback::servers::run::convert::RawRange;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::package::Packages;
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::Lines;

/// How many outlines are asked for at the same time.
const AT_ONCE: usize = 8;

/// How many files that only mention the name are looked at more closely.
const DOUBTFUL_FILES: usize = 20;

/// Answers.
pub(crate) async fn references(
    asking: &QueryContext,
    roots: &Roots,
    request: &ReferencesRequest,
) -> Result<ReferencesResult, Problem> {
    let Asked { subject, uses, mentions } = ask(asking, roots, request).await?;
    let is_known = match &uses {
        Some(uses) if !uses.is_empty() => true,
        _ => is_resolved(asking, &subject).await?,
    };
    let found = Found::of(asking, roots, &subject, (uses, &mentions), request.include_declaration).await?;
    let Found {
        extents,
        beyond,
        home,
        mut unclear,
        is_cut,
        bridged,
        unasked,
        renamed,
        others,
        apart,
        reassigned,
        ..
    } = found;
    let unfollowed = found.unfollowed;
    // Not one of the notes: what is said of the symbol's new place is the whole truth.
    let nodes = asking.outline(&subject.path).await?;
    let definition = outline::named_at(&nodes, subject.point);
    let is_built = definition.as_ref().is_some_and(|it| BUILT.contains(&it.node.kind));
    let moved = definition.and_then(|it| moved(&request.target, &subject, it.node.whole));
    let mut notes: Vec<String> = Vec::new();
    if is_known {
        let unloaded = not_loaded(asking, &beyond.lines, &extents).await?;
        if !unloaded.is_empty() {
            let listed: Vec<_> = unloaded.iter().map(|it| roots.spell(it)).collect();
            let (name, why, listed) = (&subject.name, asking.not_loaded(), listed.join(", "));
            notes.push(format!("`{name}` is also mentioned in files that are {why}: {listed}"));
        }
        // Of what is not loaded nothing is clear.
        unclear.retain(|(path, _)| !unloaded.contains(path));
    } else if extents.is_empty() {
        notes.push(format!("`{}` stands in code that is {}", subject.name, asking.not_loaded()));
    } else {
        let server = asking.server.name();
        notes.push(format!(
            "{server} lists no uses of `{}`; these are the names that lead to it",
            subject.name
        ));
    }
    notes.extend(unlisted_references::told_bridged(asking, roots, &subject.name, &bridged));
    if unasked > 0 {
        let (server, name) = (asking.server.name(), &subject.name);
        notes.push(format!(
            "{server} leaves uses of `{name}` out, maybe on {unasked} more lines with that name"
        ));
    }
    if !mentions.complete {
        notes.push("not every file could be searched for further mentions".into());
    }
    if !unclear.is_empty() {
        // What the server was not given may be why.
        notes.extend(asking.left_out.iter().cloned());
    }
    notes.extend(called_by_syntax(asking, roots, &subject, &home).await?);
    notes.extend(same_name_symbols::told(asking, roots, &subject, &home).await);
    notes.extend(defined_above(asking, roots, &subject).await?);
    notes.extend(pytest_fixtures::told(asking, roots, &subject).await?);
    let reassigned = match reassigned.told(asking, roots, &subject.name) {
        Some((note, false)) => {
            notes.push(note);
            None
        }
        told => told.map(|(note, _)| note),
    };
    let unclear = unlisted_references::unclear_calls(asking, roots, &subject, (&unclear, is_cut)).await?;
    let unfollowed =
        unlisted_references::told_unclear(asking, roots, (&subject.name, "use"), (&unfollowed, is_cut));
    let others = separate_programs::told(asking, roots, &subject.name, &others);
    let apart = apart.told(asking, roots, "among these");
    let mut references = write(asking, roots, &subject.path, &extents).await?;
    // What an operator stands for is called where the operator stands.
    let is_operator = operator_calls::is_operator(asking.server.setup.language, &subject.name);
    let is_call =
        |role: Option<&str>| is_built && role == Some("write") || is_operator && role == Some("read");
    for called in references.iter_mut().filter(|it| is_call(it.role.as_deref())) {
        called.role = Some("call".to_owned());
    }
    asking.check_unchanged().await?;
    Ok(ReferencesResult {
        complete: notes.is_empty(),
        source: Source(format!("language-server:{}", asking.server.name())),
        note: joined(
            moved
                .into_iter()
                .chain(notes)
                .chain(renamed)
                .chain(others)
                .chain(reassigned)
                .chain(apart)
                .chain(unclear)
                .chain(unfollowed),
        ),
        references,
        mentions: Some(beyond.count),
    })
}

/// The uses of a symbol: those that the server lists, and those that it knows of all the same.
pub(crate) struct Found {
    pub(crate) extents: BTreeSet<(PathBuf, Extent)>,
    /// Where else its name stands.
    beyond: Beyond,
    /// The names of the symbol's own definitions.
    pub(crate) home: BTreeSet<(PathBuf, Point)>,
    /// Where the name stands and the server cannot tell what it means.
    pub(crate) unclear: Vec<(PathBuf, Extent)>,
    /// Whether there may be more of them.
    pub(crate) is_cut: bool,
    /// Those behind an import that the server does not follow.
    pub(crate) unfollowed: BTreeSet<(PathBuf, Extent)>,
    /// Those behind an export that the server does not follow.
    pub(crate) bridged: BTreeSet<(PathBuf, Extent)>,
    /// How many lines with the name may hold more of what the server left out.
    unasked: usize,
    /// Says how many of them are written with another name.
    renamed: Option<String>,
    /// Files with a symbol of their own that the server takes for this one.
    pub(crate) others: BTreeSet<PathBuf>,
    /// Those that lead to a member that this one overrides, or that overrides it.
    pub(crate) apart: Apart,
    /// Where subclasses assign it anew.
    reassigned: Reassigned,
}

impl Found {
    /// Starts from what the server lists and where the name stands.
    async fn of(
        asking: &QueryContext,
        roots: &Roots,
        subject: &Subject,
        (uses, mentions): (Option<Arc<Vec<RawRange>>>, &Lines),
        include_declaration: bool,
    ) -> Result<Self, Problem> {
        let mut home = home(asking, subject).await?;
        let mut extents = extents(asking, &uses.unwrap_or_default()).await?;
        let mut twins = declared_apart::twins(asking, &subject.path, subject.point, &subject.name).await?;
        twins.extend(
            declared_apart::specialised(asking, roots, &subject.path, subject.point, &subject.name).await?,
        );
        for (path, point) in &twins {
            let uses = asking.references(path, *point, include_declaration).await?;
            extents.extend(super::lookup::mentions::extents(asking, &uses.unwrap_or_default()).await?);
        }
        if !include_declaration {
            extents.retain(|(path, it)| !twins.contains(&(path.clone(), it.start)));
        }
        home.extend(twins);
        extents.extend(assigned_members::again(asking, roots, subject).await?);
        let beyond = Beyond::new(mentions, &extents, &home);
        let mut missed = follow::uses((asking, roots), &beyond.lines, &home, &subject.name).await?;
        let beside = follow::beside(asking, &extents, &home, &subject.name).await;
        let beside = follow::uses((asking, roots), &beside, &home, &subject.name).await?;
        missed.uses.extend(beside.uses.into_iter().filter(|it| !extents.contains(it)));
        if !missed.uses.is_empty() {
            // Asked what the others lead to, it may have come to know more.
            let at = (subject.path.clone(), subject.point, include_declaration);
            let again = asking.references_uncached(at).await?;
            extents.extend(super::lookup::mentions::extents(asking, &again.unwrap_or_default()).await?);
            extents.extend(missed.uses.iter().cloned());
        }
        let mistaken = false_references::uses((asking, roots), subject, &home, &extents).await?;
        extents.retain(|it| !mistaken.contains(it));
        let as_self = self_types::uses((asking, roots), &extents, &home).await?;
        missed.is_cut |= as_self.is_cut;
        missed.unclear.extend(as_self.unclear);
        extents.extend(as_self.uses);
        let mut unfollowed = unresolved_imports::uses(asking, roots, (&missed, &subject.name)).await?;
        let bridged = unlisted_references::bridged(asking, roots, &missed, &extents).await;
        extents.extend(bridged.iter().cloned());
        let reassigned = Reassigned::of(asking, roots, subject, &missed).await?;
        extents.extend(reassigned.uses.iter().cloned());
        let mut declared = BTreeSet::new();
        if !include_declaration {
            let beside = declared_beside(asking, subject).await?;
            let is_beside =
                |(path, it): &(PathBuf, Extent)| *path == subject.path && beside.contains(&it.start);
            (declared, extents) = extents.into_iter().partition(is_beside);
            extents = without_macros(asking, subject, &home, extents).await;
        }
        let others = separate_programs::others(asking, subject, &home, &extents).await?;
        extents.retain(|(path, _)| !others.contains(path));
        let relatives = Relatives::of(asking, &subject.path, subject.point).await?;
        let apart = relatives.apart(asking, &extents).await?;
        if !include_declaration {
            extents.retain(|(path, it)| !relatives.has(path, it.start));
        }
        let renamed = import_aliases::follow(asking, roots, &mut extents, (subject, &home)).await?;
        let beyond = Beyond::new(mentions, &extents.union(&declared).cloned().collect(), &home);
        let Missed { unclear, unasked, is_cut, .. } = missed;
        unfollowed.retain(|it| !extents.contains(it));
        Ok(Self {
            extents,
            beyond,
            home,
            unclear,
            is_cut,
            unfollowed,
            bridged,
            unasked,
            renamed,
            others,
            apart,
            reassigned,
        })
    }

    /// Of a symbol whose place is known.
    pub(crate) async fn at(asking: &QueryContext, roots: &Roots, subject: &Subject) -> Result<Self, Problem> {
        let uses = listed(asking, subject, false);
        let (uses, mentions) = join(uses, mentions(asking, roots, &subject.name)).await;
        Self::of(asking, roots, subject, (uses?, &mentions), false).await
    }
}

/// Without the call of the macro that writes the symbol's definition.
async fn without_macros(
    asking: &QueryContext,
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
    extents: BTreeSet<(PathBuf, Extent)>,
) -> BTreeSet<(PathBuf, Extent)> {
    let mut uses = BTreeSet::new();
    for (path, extent) in extents {
        let is_home = home.contains(&(path.clone(), extent.start));
        let has_name =
            async || asking.text(&path).await.and_then(|it| it.word(extent)) == Some(subject.name.clone());
        if !is_home || has_name().await {
            uses.insert((path, extent));
        }
    }
    uses
}

/// Kinds of what nobody writes to: where something of that name is initialized, a constructor is called.
const BUILT: &[&str] = &["class", "struct", "constructor"];

/// Says so of a method that operators call.
pub(crate) async fn called_by_syntax(
    asking: &QueryContext,
    roots: &Roots,
    subject: &Subject,
    home: &BTreeSet<(PathBuf, Point)>,
) -> Result<Option<String>, Problem> {
    if let Some(note) = operator_calls::befriended(asking, roots, subject).await? {
        return Ok(Some(note));
    }
    let own = (subject.path.clone(), subject.point);
    let (path, point) = home.first().unwrap_or(&own);
    let Some(text) = asking.text(path).await else { return Ok(None) };
    Ok(operator_calls::unlisted(asking.server.setup.language, &subject.name, &text, point.line.index()))
}

fn joined(notes: impl Iterator<Item = String>) -> Option<String> {
    let notes: Vec<String> = notes.collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Says that the name is not where it was, and which one was taken for it. A definition is pinned by any of its lines,
/// its documentation's included.
fn moved(target: &Target, subject: &Subject, whole: Extent) -> Option<String> {
    let at = target.at.as_ref().filter(|at| target.name.is_some() && at.line != subject.point.line)?;
    if (whole.start.line..=whole.end.line).contains(&at.line) {
        return None;
    }
    let Subject { name, point, .. } = subject;
    let Location { path, line, .. } = at;
    Some(format!("`{name}` is no longer at {path}:{line}; this is the one at {path}:{}", point.line))
}

/// What the server and the text say of a symbol.
struct Asked {
    subject: Subject,
    /// `None` when the server sees no symbol there.
    uses: Option<Arc<Vec<RawRange>>>,
    mentions: Lines,
}

/// Finds the symbol, asks for its uses, and meanwhile looks for its name.
async fn ask(asking: &QueryContext, roots: &Roots, request: &ReferencesRequest) -> Result<Asked, Problem> {
    let declaration = request.include_declaration;
    let mut last = None;
    for subject in subjects(asking, roots, &request.target).await? {
        let uses = listed(asking, &subject, declaration);
        let (uses, mentions) = join(uses, mentions(asking, roots, &subject.name)).await;
        let asked = Asked { uses: uses?, subject, mentions };
        if asked.uses.is_some() {
            return Ok(asked);
        }
        last = Some(asked);
    }
    last.ok_or_else(|| nothing_there(&request.target).into())
}

/// The uses that the server lists; none of what a macro writes and no code names, since the macro's would be listed.
async fn listed(
    asking: &QueryContext,
    subject: &Subject,
    include_declaration: bool,
) -> Result<Option<Arc<Vec<RawRange>>>, Problem> {
    if is_written_by_macro(asking, subject).await {
        return Ok(Some(Arc::default()));
    }
    Ok(asking.references(&subject.path, subject.point, include_declaration).await?)
}

/// Whether the server knows the symbol, so that "no uses" means none: its declaration is then a use.
async fn is_resolved(asking: &QueryContext, subject: &Subject) -> Result<bool, Problem> {
    let with_declaration = asking.references(&subject.path, subject.point, true).await?;
    Ok(with_declaration.is_some_and(|it| !it.is_empty()))
}

/// The uses as the agent sees them, each with what it is in.
async fn write(
    asking: &QueryContext,
    roots: &Roots,
    home: &Path,
    extents: &BTreeSet<(PathBuf, Extent)>,
) -> Result<Vec<FileRange>, Problem> {
    let mut by_path: BTreeMap<&PathBuf, Vec<Extent>> = BTreeMap::new();
    for (path, extent) in extents {
        by_path.entry(path).or_default().push(*extent);
    }
    let outside = outside(home, by_path.keys().map(|it| (*it).clone()).collect()).await;
    let files: Vec<_> = by_path.into_iter().collect();
    let mut references = Vec::new();
    for some in files.chunks(AT_ONCE) {
        let written = some
            .iter()
            .map(|(path, extents)| write_file(asking, roots, outside.contains(*path), path, extents));
        references.extend(try_join_all(written).await?.into_iter().flatten());
    }
    references.sort_by(|a, b| (&a.path, a.start).cmp(&(&b.path, b.start)));
    Ok(references)
}

/// Those of these files that lie in another package.
async fn outside(home: &Path, mut paths: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let home = home.to_owned();
    let looking = blocking::spawn(move || {
        let mut packages = Packages::default();
        paths.retain(|it| packages.are_apart(&home, it));
        paths
    });
    looking.await
}

/// The uses in one file. What they are in is told by the syntax, and by the server where no syntax is known.
async fn write_file(
    asking: &QueryContext,
    roots: &Roots,
    is_outside: bool,
    path: &Path,
    extents: &[Extent],
) -> Result<Vec<FileRange>, Problem> {
    roots.remember(path);
    let usages = file_syntax::usages(asking, roots, path, extents).await;
    let mut references = Vec::new();
    for (index, extent) in extents.iter().enumerate() {
        let range = file_range(asking, roots, path, *extent).await;
        let range = FileRange { outside: is_outside, ..range };
        references.push(match &usages {
            Some(usages) => usages[index].clone().onto(range),
            None => {
                let nodes = asking.outline(path).await?;
                let separator = asking.server.setup.language.separator;
                FileRange { inside: outline::enclosing(&nodes, extent.start, separator), ..range }
            }
        });
    }
    Ok(references)
}

/// The further declarations of the symbol beside the one that was asked about: overloads, which some servers count as
/// uses of it.
async fn declared_beside(asking: &QueryContext, subject: &Subject) -> Result<BTreeSet<Point>, Problem> {
    let mut declared = overloads(asking, subject).await?;
    let language = asking.server.setup.language;
    if language.has_overloads
        && !declared.is_empty()
        && let Some(text) = asking.text(&subject.path).await
    {
        // Some outlines list one of several.
        declared.extend(word_scan::declared_in(language, &text, &subject.name));
    }
    Ok(declared)
}

/// Which files mention the name and are not loaded, so that their uses of it cannot be among the answer's.
async fn not_loaded(
    asking: &QueryContext,
    beyond: &BTreeMap<PathBuf, BTreeSet<usize>>,
    extents: &BTreeSet<(PathBuf, Extent)>,
) -> Result<BTreeSet<PathBuf>, Problem> {
    if asking.profile().files.only_open {
        return Ok(BTreeSet::new()); // what is opened is loaded
    }
    let answered: BTreeSet<_> = extents.iter().map(|(path, _)| path).collect();
    let doubtful = beyond.keys().filter(|it| !answered.contains(it)).take(DOUBTFUL_FILES);
    let mut unloaded = BTreeSet::new();
    for path in doubtful {
        if !is_file_loaded(asking, path).await? {
            unloaded.insert(path.clone());
        }
    }
    Ok(unloaded)
}

/// Whether the server loaded a file: then the first thing that it defines leads to itself.
async fn is_file_loaded(asking: &QueryContext, path: &Path) -> Result<bool, Problem> {
    let nodes = asking.outline(path).await?;
    let mut all = outline::all(&nodes);
    all.retain(|it| it.node.kind != "macro");
    // What an attribute takes out says nothing about the file; one of several is enough.
    let tried = all.iter().filter(|it| it.node.kind != outline::IMPL).take(5);
    for found in tried {
        if asking.is_loaded(path, found.node.name_at.start).await? {
            return Ok(true);
        }
    }
    // A file that defines nothing uses nothing that could be told apart.
    Ok(all.is_empty())
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Column, Line};

    use super::*;

    #[test]
    fn a_name_that_has_moved_is_said_to_have() {
        let point = |line: usize| Point { line: Line::from_index(line - 1), column: Column::FIRST };
        let subject = |line| Subject { path: "/w/a.rs".into(), point: point(line), name: "User".to_owned() };
        let at = Location { path: "a.rs".to_owned(), line: point(3).line, column: None };
        let target = Target { name: Some("User".to_owned()), at: Some(at) };
        let note = "`User` is no longer at a.rs:3; this is the one at a.rs:9";
        let whole = |first, last| Extent { start: point(first), end: point(last) };
        assert_eq!(moved(&target, &subject(9), whole(9, 9)).as_deref(), Some(note));
        assert_eq!(moved(&target, &subject(3), whole(3, 3)), None);
        assert_eq!(moved(&target, &subject(9), whole(2, 12)), None);
        assert_eq!(moved(&target, &subject(9), whole(8, 12)).as_deref(), Some(note));
        assert_eq!(moved(&Target { name: None, ..target }, &subject(9), whole(9, 9)), None);
    }
}
