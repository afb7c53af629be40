//! Uses of a symbol that a server would not rename: those in files that it indexes later, mostly.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ide_protocol::{Navigation, Point};

use super::redeclared_members::Reassigned;
use super::{false_references, separate_programs, unlisted_references, unresolved_imports};
use crate::blocking;
use crate::fallback::edits::FileChange;
use crate::fallback::operations::lookup::format_places::places;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::operations::lookup::{follow, mentions, supertypes};
use crate::fallback::session::query_context::{Problem, QueryContext, folders};
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::of_node;
use crate::fallback::workspace::buffers::Texts;
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::word_scan;

/// How many places are named.
const NAMED: usize = 5;

/// How many types are looked at for what a method overrides.
const TYPES: usize = 64;

/// Where the name of a symbol stands, whatever it means there, and where it leads when it means the symbol.
pub(crate) struct Mentioned<'a> {
    lines: BTreeMap<PathBuf, BTreeSet<usize>>,
    /// Whether all files were looked through.
    pub(crate) is_all: bool,
    home: &'a BTreeSet<(PathBuf, Point)>,
}

/// Where the name of a symbol would stay.
pub(crate) struct Left {
    /// Where it leads to the symbol, or is listed as a use of it.
    pub(crate) uses: BTreeSet<(PathBuf, Extent)>,
    /// Where the server cannot tell where it leads.
    unclear: Vec<(PathBuf, Extent)>,
    /// Whether there may be more of them.
    is_cut: bool,
    /// Those behind imports that it does not follow.
    unfollowed: BTreeSet<(PathBuf, Extent)>,
    /// Where subclasses assign the symbol anew, and the name would stay.
    pub(crate) reassigned: BTreeSet<(PathBuf, Point)>,
}

impl<'a> Mentioned<'a> {
    /// Looks at all files of the language, for a symbol whose own definitions have their names at `home`.
    pub(crate) async fn of(
        asking: &QueryContext,
        roots: &Roots,
        subject: &Subject,
        home: &'a BTreeSet<(PathBuf, Point)>,
    ) -> Self {
        // What is forgotten here is lost: so that nothing depends on what is remembered of files.
        let (language, folders) = (asking.server.setup.language, folders(asking, roots));
        let (name, until) = (subject.name.clone(), asking.deadline);
        let scan = blocking::spawn(move || word_scan::mentions_anew(language, &folders, &name, until));
        let mentions = scan.await;
        Self { lines: mentions.lines, is_all: mentions.complete, home }
    }

    /// Where the name would stay after these changes.
    pub(crate) async fn left_by(
        &self,
        (asking, roots): (&QueryContext, &Roots),
        subject: &Subject,
        files: &[FileChange],
    ) -> Result<Left, Problem> {
        let (mut left, changed) = (self.lines.clone(), Changed::by(asking, files));
        for (path, lines) in &mut left {
            lines.retain(|it| !changed.has(path, *it));
        }
        left.retain(|_, lines| !lines.is_empty());
        let missed = follow::uses((asking, roots), &left, self.home, &subject.name).await?;
        let unfollowed = unresolved_imports::uses(asking, roots, (&missed, &subject.name)).await?;
        let reassigned = Reassigned::of(asking, roots, subject, &missed).await?;
        let is_cut = missed.is_cut;
        let own = unlisted_references::leading_to_members(asking, &missed, &subject.name).await?;
        let (mut uses, unclear): (BTreeSet<_>, _) = (missed.uses.into_iter().collect(), missed.unclear);
        uses.extend(own);
        uses.extend(reassigned.uses);
        let listed = asking.references(&subject.path, subject.point, false).await?.unwrap_or_default();
        let listed = mentions::extents(asking, &listed).await?;
        let others = separate_programs::others(asking, subject, self.home, &listed).await?;
        let mistaken = false_references::uses((asking, roots), subject, self.home, &listed).await?;
        let is_own = |it: &(PathBuf, Extent)| !others.contains(&it.0) && !mistaken.contains(it);
        for (path, extent) in listed.into_iter().filter(is_own) {
            let word = asking.text(&path).await.and_then(|it| it.word(extent));
            if word.as_ref() == Some(&subject.name) && !changed.has(&path, extent.start.line.index()) {
                uses.insert((path, extent));
            }
        }
        // Where `{ name }` becomes `{ name: new }`, a property keeps the name, and so does `it.name`.
        let spelled_out = format!("{}: ", subject.name);
        if files.iter().flat_map(|it| &it.changes).any(|it| it.text.starts_with(&spelled_out)) {
            let mut others = BTreeSet::new();
            for (path, extent) in uses {
                if !unlisted_references::is_member(asking, &path, extent).await {
                    others.insert((path, extent));
                }
            }
            uses = others;
        }
        Ok(Left { uses, unclear, is_cut, unfollowed, reassigned: reassigned.at })
    }
}

/// Says where methods that override the symbol, or that it overrides, would keep its name: not every server renames
/// those with it.
pub(crate) async fn family(
    asking: &QueryContext,
    roots: &Roots,
    subject: &Subject,
    files: &[FileChange],
) -> Result<Vec<String>, Problem> {
    let own = (subject.path.clone(), subject.point);
    if !is_method(asking, &own).await? {
        return Ok(Vec::new());
    }
    let overriding = overriding(asking, &own, &subject.name).await?;
    let overridden = overridden(asking, subject).await?;
    let mut beside = BTreeSet::new();
    for (path, extent) in &overridden {
        beside.extend(self::overriding(asking, &(path.clone(), extent.start), &subject.name).await?);
    }
    beside.retain(|it| {
        (&it.0, it.1.start) != (&own.0, own.1) && !overriding.contains(it) && !overridden.contains(it)
    });
    let changed = Changed::by(asking, files);
    let told = |what: &str, places_of: BTreeSet<(PathBuf, Extent)>| {
        let kept = places_of.iter().filter(|(path, it)| !changed.has(path, it.start.line.index()));
        let kept: Vec<_> = kept.cloned().collect();
        let note = || format!("`{}` would stay {what}, at {}", subject.name, places(roots, &kept, NAMED));
        (!kept.is_empty()).then(note)
    };
    let notes = [
        told("where it is overridden", overriding),
        told("in what it overrides", overridden),
        told("in what else overrides that", beside),
    ];
    Ok(notes.into_iter().flatten().collect())
}

async fn is_method(asking: &QueryContext, (path, point): &(PathBuf, Point)) -> Result<bool, Problem> {
    let nodes = asking.outline(path).await?;
    Ok(outline::named_at(&nodes, *point).is_some_and(|it| is_member_kind(it.node.kind)))
}

fn is_member_kind(kind: &str) -> bool {
    matches!(kind, "function" | "method" | "property")
}

/// The methods that override one.
async fn overriding(
    asking: &QueryContext,
    (path, point): &(PathBuf, Point),
    name: &str,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    let mut found = BTreeSet::new();
    if !asking.provides("implementationProvider") {
        return Ok(found);
    }
    for target in asking.goto(Navigation::Implementations, path, *point).await? {
        let Some(extent) = asking.extent(&target.name).await else { continue };
        let path = target.name.path;
        let word = asking.text(&path).await.and_then(|it| it.word(extent));
        if word.as_deref() == Some(name) && is_method(asking, &(path.clone(), extent.start)).await? {
            found.insert((path, extent));
        }
    }
    Ok(found)
}

/// The methods that one overrides: those of its name in the types that its class extends.
async fn overridden(
    asking: &QueryContext,
    subject: &Subject,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    let any = Name::any();
    let nodes = asking.outline(&subject.path).await?;
    let all = outline::all(&nodes);
    let class = outline::named_at(&nodes, subject.point).and_then(|it| it.around.last().copied());
    let class = all.iter().find(|it| class.is_some_and(|class| class.name_at == it.node.name_at));
    let class = class.filter(|it| matches!(it.node.kind, "class" | "struct" | "interface"));
    let mut types: Vec<_> = class.map(|it| of_node(&subject.path, it, &any)).into_iter().collect();
    let (mut next, mut found) = (0, BTreeSet::new());
    while let Some(of) = types.get(next).filter(|_| next < TYPES).cloned() {
        next += 1;
        for base in supertypes::named(asking, &of).await? {
            if types.iter().any(|it| (&it.path, it.name_at) == (&base.path, base.name_at)) {
                continue;
            }
            let nodes = asking.outline(&base.path).await?;
            let members = outline::named_at(&nodes, base.name_at.start).map(|it| &it.node.children);
            let named = members.into_iter().flatten().filter(|it| it.name == subject.name);
            let methods = named.filter(|it| is_member_kind(it.kind));
            found.extend(methods.map(|it| (base.path.clone(), it.name_at)));
            types.push(base);
        }
    }
    Ok(found)
}

/// The lines on which files change.
struct Changed(BTreeMap<PathBuf, BTreeSet<usize>>);

impl Changed {
    fn by(asking: &QueryContext, files: &[FileChange]) -> Self {
        let texts = asking.server.buffers.texts();
        Self(files.iter().map(|it| (it.place.path.clone(), changed_lines(it, &texts))).collect())
    }

    /// Whether a line (from 0) is one of them.
    fn has(&self, path: &PathBuf, line: usize) -> bool {
        self.0.get(path).is_some_and(|it| it.contains(&line))
    }
}

/// The lines, from 0, on which something changes.
fn changed_lines(file: &FileChange, texts: &Texts) -> BTreeSet<usize> {
    let bytes = file.before(texts).unwrap_or_default();
    let breaks: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    let line = |at: usize| breaks.partition_point(|it| *it < at);
    file.changes.iter().flat_map(|it| line(it.bytes.start)..=line(it.bytes.end)).collect()
}

impl Left {
    /// Says so.
    pub(crate) async fn told(
        &self,
        asking: &QueryContext,
        roots: &Roots,
        subject: &Subject,
    ) -> Result<Vec<String>, Problem> {
        let name = &subject.name;
        let at = places(roots, &self.uses, NAMED);
        let stays = || format!("`{name}` would stay, and leads to what is renamed, at {at}");
        let unclear = match asking.server.setup.language.declares_apart {
            // There every name leads somewhere, once its file is read with all that it includes.
            true => {
                unlisted_references::told_unclear(asking, roots, (name, "use"), (&self.unclear, self.is_cut))
            }
            false => {
                unlisted_references::unclear_calls(asking, roots, subject, (&self.unclear, self.is_cut))
                    .await?
            }
        };
        let unfollowed =
            unlisted_references::told_unclear(asking, roots, (name, "use"), (&self.unfollowed, self.is_cut));
        Ok((!self.uses.is_empty()).then(stays).into_iter().chain(unclear).chain(unfollowed).collect())
    }
}
