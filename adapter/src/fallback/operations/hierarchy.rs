//! Who calls whom, and which type extends which, from one symbol on.
//!
//! Where a server has no such hierarchy, callers are what its uses are in, subtypes what implements it, and supertypes
//! what the head of its definition names; then the answer says so.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

use ide_protocol::{
    ErrorCode, FileRange, Hierarchy, HierarchyResult, IdeError, Link, Navigation, Point, ReferencesRequest,
    Source, Target,
};

use super::by_place::{led_to, there};
use super::candidate::{Candidate, file_range, of_node, write};
use super::navigation::name_impl;
use super::references::{self, Found};
use super::subject::{Subject, nothing_there, subjects};
use super::{missed, supertypes};
use crate::fallback::asking::{Asking, Problem};
use crate::fallback::convert::RawItem;
use crate::fallback::names::Name;
use crate::fallback::outline::{self, Extent};
use crate::fallback::roots::Roots;

/// How many links one answer has.
const LINKS: usize = 500;

/// How many symbols are asked about.
const ASKED: usize = 200;

/// How deep it goes.
const DEPTH: u32 = 16;

/// One symbol of the way.
#[derive(Clone, Debug)]
struct Step {
    candidate: Candidate,
    /// How the server calls it, where it has a hierarchy.
    item: Option<RawItem>,
}

/// The next symbol of a way, and where the call stands.
type Next = (Step, Vec<(PathBuf, Extent)>);

/// Answers.
pub(crate) async fn hierarchy(
    asking: &Asking,
    roots: &Roots,
    way: Hierarchy,
    target: &Target,
    depth: u32,
) -> Result<HierarchyResult, Problem> {
    if !(1..=DEPTH).contains(&depth) {
        let message = format!("a depth of {depth} is not from 1 to {DEPTH}");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message).into());
    }
    let has_it = asking.provides(provider(way));
    let (subject, first) = start(asking, roots, way, target, has_it).await?;
    let mut walk = Walk {
        asking,
        roots,
        way,
        links: Vec::new(),
        notes: Vec::new(),
        seen: BTreeSet::new(),
        calls: BTreeSet::new(),
    };
    if first.is_empty() && !asking.is_loaded(&subject.path, subject.point).await? {
        walk.notes.push(format!("`{}` stands in code that is {}", subject.name, asking.not_loaded()));
    }
    walk.notes.extend(asking.left_out.iter().cloned());
    walk.go(first, depth).await?;
    let unclear = if way == Hierarchy::Callers { walk.unlisted(&subject).await? } else { None };
    asking.check_unmoved().await?;
    let name = asking.server.name();
    let complete = walk.notes.is_empty() && (has_it || way != Hierarchy::Subtypes);
    walk.notes.extend(unclear);
    if !has_it {
        walk.notes.push(emulated(way, name));
    }
    Ok(HierarchyResult {
        complete,
        source: Source(format!("language-server:{name}")),
        note: (!walk.notes.is_empty()).then(|| walk.notes.join("; ")),
        links: walk.links,
    })
}

fn provider(way: Hierarchy) -> &'static str {
    match way {
        Hierarchy::Callers | Hierarchy::Callees => "callHierarchyProvider",
        Hierarchy::Supertypes | Hierarchy::Subtypes => "typeHierarchyProvider",
    }
}

fn emulated(way: Hierarchy, server: &str) -> String {
    match way {
        Hierarchy::Callers => format!("{server} has no call hierarchy: these are all uses, calls or not"),
        Hierarchy::Subtypes => format!(
            "{server} has no type hierarchy: these implement it, directly or not, without interfaces that extend it"
        ),
        _ => format!("{server} has no type hierarchy: these are the types that the definition names"),
    }
}

fn lacking(asking: &Asking, way: Hierarchy, target: &Target) -> IdeError {
    let (name, server) = (target.name.as_deref().unwrap_or("NAME"), asking.server.name());
    let advice = match way {
        Hierarchy::Callees => format!("source(`{name}`) shows what it calls."),
        _ => format!("findReferences(`{name}`) has the lines that extend it among the uses."),
    };
    IdeError::new(ErrorCode::Unavailable, format!("{server} has no `{}`", way.operation())).recovery(advice)
}

/// Where the way starts: what the server takes for the symbol, or its definition.
async fn start(
    asking: &Asking,
    roots: &Roots,
    way: Hierarchy,
    target: &Target,
    has_it: bool,
) -> Result<(Subject, Vec<Step>), Problem> {
    let can = has_it
        || match way {
            Hierarchy::Callers | Hierarchy::Supertypes => true,
            Hierarchy::Subtypes => asking.provides("implementationProvider"),
            Hierarchy::Callees => false,
        };
    if !can {
        return Err(lacking(asking, way, target).into());
    }
    let mut last = None;
    for subject in subjects(asking, roots, target).await? {
        let mut steps = Vec::new();
        if has_it {
            for item in asking.prepare(way, &subject.path, subject.point).await? {
                steps.extend(taken_for(asking, item).await?);
            }
        } else {
            let found = led_to(asking, &subject.path, subject.point).await?;
            steps.extend(found.into_iter().map(|candidate| Step { candidate, item: None }));
        }
        if !steps.is_empty() {
            return Ok((subject, steps));
        }
        last = last.or(Some(subject));
    }
    last.map(|it| (it, Vec::new())).ok_or_else(|| nothing_there(target).into())
}

async fn taken_for(asking: &Asking, item: RawItem) -> Result<Option<Step>, Problem> {
    let found = there(asking, &item.target).await?;
    Ok(found.map(|mut candidate| {
        name_impl(&mut candidate);
        Step { candidate, item: Some(item) }
    }))
}

/// A walk, the nearest first.
struct Walk<'a> {
    asking: &'a Asking,
    roots: &'a Roots,
    way: Hierarchy,
    links: Vec<Link>,
    notes: Vec<String>,
    /// Where the names stand of what was asked about.
    seen: BTreeSet<(PathBuf, Point)>,
    /// Where the first symbol is called.
    calls: BTreeSet<(PathBuf, Extent)>,
}

impl Walk<'_> {
    async fn go(&mut self, first: Vec<Step>, depth: u32) -> Result<(), Problem> {
        let mut left: VecDeque<(Step, u32)> = VecDeque::new();
        for step in first {
            self.seen.insert(place(&step.candidate));
            left.push_back((step, 0));
        }
        let mut asked = 0;
        while let Some((step, level)) = left.pop_front() {
            if asked == ASKED || self.links.len() >= LINKS {
                let unasked = left.len() + 1;
                self.notes.push(format!(
                    "cut after {} links; {unasked} more symbols were not asked about",
                    self.links.len()
                ));
                break;
            }
            asked += 1;
            for (other, places) in self.next(&step).await? {
                self.link(&step.candidate, &other.candidate, &places).await;
                if level == 0 {
                    self.calls.extend(places);
                }
                // What dependencies call is their business.
                let is_ours = self.roots.hold(&other.candidate.path);
                if self.seen.insert(place(&other.candidate)) && level + 1 < depth && is_ours {
                    left.push_back((other, level + 1));
                }
            }
        }
        self.links.truncate(LINKS);
        Ok(())
    }

    /// Compares the callers with what the sources say: notes the calls that were left out and lead to the symbol all the
    /// same, and gives the note about those of which the server cannot tell.
    async fn unlisted(&mut self, subject: &Subject) -> Result<Option<String>, Problem> {
        let (asking, roots, name) = (self.asking, self.roots, &subject.name);
        let Found { extents, home, unclear, .. } = Found::at(asking, roots, subject).await?;
        let known: BTreeSet<_> = self.calls.iter().map(|(path, extent)| (path, extent.start.line)).collect();
        let unlisted: Vec<_> = extents
            .iter()
            .filter(|(path, extent)| !known.contains(&(path, extent.start.line)))
            .cloned()
            .collect();
        let (count, places) = missed::calls(asking, roots, &unlisted).await;
        if count > 0 {
            let (server, calls) = (asking.server.name(), if count == 1 { "call" } else { "calls" });
            self.notes.push(format!("{server} leaves out {count} {calls} of `{name}`: {places}"));
        }
        self.notes.extend(references::called_by_syntax(asking, subject, &home).await);
        Ok(missed::unclear_calls(asking, roots, name, &unclear).await)
    }

    async fn next(&self, step: &Step) -> Result<Vec<Next>, Problem> {
        let Some(item) = &step.item else {
            return match self.way {
                Hierarchy::Callers => self.users(&step.candidate).await,
                Hierarchy::Subtypes => self.implementors(&step.candidate).await,
                _ => self.named(&step.candidate).await,
            };
        };
        let mut found = Vec::new();
        for (item, calls) in self.asking.related(self.way, item).await? {
            let Some(step) = taken_for(self.asking, item).await? else { continue };
            let mut places = Vec::new();
            for call in calls {
                let extent = self.asking.extent(&call).await.ok_or(Problem::Moved)?;
                let place = (call.path, extent);
                if !places.contains(&place) {
                    places.push(place);
                }
            }
            found.push((step, places));
        }
        found.sort_by_key(|(step, _)| place(&step.candidate));
        Ok(found)
    }

    /// What the uses of a symbol are in.
    async fn users(&self, of: &Candidate) -> Result<Vec<Next>, Problem> {
        let spelled = self.roots.place(of.path.clone()).spelling;
        let at = ide_protocol::Location {
            path: spelled,
            line: of.name_at.start.line,
            column: Some(of.name_at.start.column),
        };
        let request = ReferencesRequest {
            session_id: String::new(),
            progress_token: None,
            deadline_ms: None,
            wait_ms: None,
            target: Target { name: Some(of.name.clone()), at: Some(at) },
            include_declaration: false,
        };
        let uses = references::references(self.asking, self.roots, &request).await?;
        let mut found: Vec<Next> = Vec::new();
        for used in uses.references {
            let path = self.roots.resolve(&used.path)?.path;
            let extent = Extent { start: used.start, end: used.end };
            let nodes = self.asking.outline(&path).await?;
            let any = Name { path: Vec::new(), last: String::new() };
            let all = outline::all(&nodes);
            let is_code = |kind: &str| matches!(kind, "function" | "method" | "constructor");
            let around = all.iter().rfind(|it| it.node.whole.holds(used.start) && is_code(it.node.kind));
            // A use outside of any function has nobody who calls.
            let Some(user) = around.map(|it| of_node(&path, it, &any)) else { continue };
            match found.iter_mut().find(|(step, _)| place(&step.candidate) == place(&user)) {
                Some((_, places)) => places.push((path, extent)),
                None => found.push((Step { candidate: user, item: None }, vec![(path, extent)])),
            }
        }
        Ok(found)
    }

    async fn implementors(&self, of: &Candidate) -> Result<Vec<Next>, Problem> {
        let targets = self.asking.goto(Navigation::Implementations, &of.path, of.name_at.start).await?;
        let mut found = Vec::new();
        for target in targets {
            if let Some(mut candidate) = there(self.asking, &target).await?
                && place(&candidate) != place(of)
            {
                name_impl(&mut candidate);
                found.push((Step { candidate, item: None }, Vec::new()));
            }
        }
        Ok(found)
    }

    async fn named(&self, of: &Candidate) -> Result<Vec<Next>, Problem> {
        let types = supertypes::named(self.asking, of).await?;
        Ok(types.into_iter().map(|candidate| (Step { candidate, item: None }, Vec::new())).collect())
    }

    async fn link(&mut self, asked: &Candidate, other: &Candidate, places: &[(PathBuf, Extent)]) {
        let (from, to) = if self.way.is_upstream() { (other, asked) } else { (asked, other) };
        let mut at: Vec<FileRange> = Vec::new();
        for (path, extent) in places {
            self.roots.remember(path);
            at.push(file_range(self.asking, self.roots, path, *extent).await);
        }
        self.roots.remember(&other.path);
        let (from, to) =
            (write(self.asking, self.roots, from).await, write(self.asking, self.roots, to).await);
        self.links.push(Link { from, to, at });
    }
}

fn place(candidate: &Candidate) -> (PathBuf, Point) {
    (candidate.path.clone(), candidate.name_at.start)
}
