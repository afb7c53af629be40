//! Call and type hierarchies, starting from one symbol.
//!
//! For servers without such a hierarchy, it is emulated, and a note says so: callers from references, subtypes
//! from implementations, supertypes from the head of the definition.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use ide_protocol::{
    Completeness, ErrorCode, FileRange, Gap, Hierarchy, HierarchyQuestion, HierarchyResult, IdeError, Link,
    Navigation, Operation, Point, ReferencesQuestion, Source, Target,
};
use serde_json::{Value, json};

use super::about_symbol::about_symbol;
use super::corrections::correction::Apart;
use super::corrections::operator_calls;
use super::corrections::overloads::{Piece, piece_of};
use super::corrections::unlisted_subtypes::type_around;
use super::handler::{Call, Handler};
use super::lookup::candidates::{file_range, name_impl, write};
use super::lookup::format_places::places;
use super::lookup::leads::{led_to, there};
use super::lookup::supertypes;
use super::lookup::target::{Subject, is_written_by_macro, nothing_there, subjects};
use super::navigation::{mentioned_only, structural};
use super::server_query::{Openness, ServerQuery, SyntacticAnswer};
use super::{corrections, references, unexpanded};
use crate::fallback::operations::corrections::correction::{Context, Query, Related, Uses};
use crate::fallback::operations::lookup::format_places::{NAMED, listed};
use crate::fallback::operations::references::uses_of;
use crate::fallback::servers::run::convert::{RawItem, RawTarget};
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::{Language, SupertypeRule};
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::syntactic::candidate::{Candidate, module, of_node};
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of links in one result.
const LINKS: usize = 500;

/// The maximum number of symbols queried.
const ASKED: usize = 200;

/// The maximum depth.
const DEPTH: u32 = 16;

pub(crate) struct Callers;

impl Handler for Callers {
    const OPERATION: Operation = Operation::Callers;
    type Question = HierarchyQuestion;

    async fn answer(call: &Call, question: HierarchyQuestion) -> Result<HierarchyResult, IdeError> {
        answer(call, Hierarchy::Callers, question).await
    }
}

pub(crate) struct Callees;

impl Handler for Callees {
    const OPERATION: Operation = Operation::Callees;
    type Question = HierarchyQuestion;

    async fn answer(call: &Call, question: HierarchyQuestion) -> Result<HierarchyResult, IdeError> {
        answer(call, Hierarchy::Callees, question).await
    }
}

pub(crate) struct Supertypes;

impl Handler for Supertypes {
    const OPERATION: Operation = Operation::Supertypes;
    type Question = HierarchyQuestion;

    async fn answer(call: &Call, question: HierarchyQuestion) -> Result<HierarchyResult, IdeError> {
        answer(call, Hierarchy::Supertypes, question).await
    }
}

pub(crate) struct Subtypes;

impl Handler for Subtypes {
    const OPERATION: Operation = Operation::Subtypes;
    type Question = HierarchyQuestion;

    async fn answer(call: &Call, question: HierarchyQuestion) -> Result<HierarchyResult, IdeError> {
        answer(call, Hierarchy::Subtypes, question).await
    }
}

async fn answer(
    call: &Call,
    way: Hierarchy,
    question: HierarchyQuestion,
) -> Result<HierarchyResult, IdeError> {
    let HierarchyQuestion { target, depth } = question;
    about_symbol(call, target, |target| HierarchyQuery { way, target, depth }).await
}

/// The hierarchy around a symbol, in one direction.
struct HierarchyQuery {
    way: Hierarchy,
    target: Target,
    depth: u32,
}

impl ServerQuery for HierarchyQuery {
    type Answer = HierarchyResult;
    const SYNTAX: SyntacticAnswer = SyntacticAnswer::WithoutServer;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<HierarchyResult, Problem> {
        hierarchy(asking, &session.roots, self.way, &self.target, self.depth).await
    }

    async fn ask_syntax(
        &self,
        session: &Session,
        language: &'static Language,
        reason: &FallbackReason,
    ) -> Option<HierarchyResult> {
        syntactic::hierarchy(&session.roots, language, self.way, (&self.target, self.depth), reason).await
    }

    fn openness(&self, _: &HierarchyResult) -> Openness {
        match self.way {
            Hierarchy::Callers | Hierarchy::Subtypes => Openness::Judged,
            Hierarchy::Callees | Hierarchy::Supertypes => Openness::Open,
        }
    }

    fn cache_key(&self) -> Option<Value> {
        Some(json!([self.way.operation().name(), self.target, self.depth]))
    }
}

/// A node of the hierarchy.
#[derive(Clone, Debug)]
struct Step {
    candidate: Candidate,
    /// The server's items for it, one per overload; empty if the server has no such hierarchy.
    items: Vec<RawItem>,
}

impl Step {
    /// Returns `true` if both are the same symbol.
    fn is_at(&self, other: &Self) -> bool {
        identity(&self.candidate) == identity(&other.candidate)
    }
}

/// A neighbour in the hierarchy, with the places of its calls.
type Next = (Step, Vec<(PathBuf, Extent)>);

/// Walks the hierarchy up to `depth` and returns its links.
async fn hierarchy(
    asking: &QueryContext,
    roots: &SessionFolders,
    way: Hierarchy,
    target: &Target,
    depth: u32,
) -> Result<HierarchyResult, Problem> {
    if !(1..=DEPTH).contains(&depth) {
        let message = format!("depth must be 1–{DEPTH}, got {depth}");
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
        apart: Apart::default(),
        indirect: BTreeSet::new(),
        beyond: BTreeSet::new(),
        is_cut: false,
    };
    if first.is_empty() && !asking.is_loaded(&subject.path, subject.point).await? {
        walk.notes.push(format!("`{}` stands in code that is {}", subject.name, asking.not_loaded()));
    }
    walk.notes.extend(asking.left_out.iter().cloned());
    let asked: Vec<_> = first.iter().map(|it| it.candidate.clone()).collect();
    walk.go(first, depth).await?;
    if way == Hierarchy::Supertypes && !walk.beyond.is_empty() {
        let names: Vec<_> = walk.beyond.iter().map(|it| format!("`{it}`")).collect();
        walk.notes.push(format!(
            "supertypes of what lies outside the workspace are left out: {}",
            listed(&names, NAMED)
        ));
    }
    let unclear = match way {
        Hierarchy::Callers => walk.unlisted_callers(&subject, asked.first(), depth).await?,
        Hierarchy::Callees => walk.unlisted_callees(&asked, depth).await?,
        _ => Vec::new(),
    };
    if way == Hierarchy::Subtypes {
        walk.notes.extend(structural(asking, &subject).await);
        walk.notes.extend(walk.unexpanded_subtypes(&subject, depth).await?);
    }
    asking.check_unchanged().await?;
    let name = asking.server.name();
    let emulated = if has_it { None } else { emulated(asking, way) };
    let complete = walk.notes.is_empty() && (way != Hierarchy::Subtypes || emulated.is_none());
    walk.notes.extend(unclear);
    walk.notes.extend(walk.apart.notes(asking, roots, "with these, which are left out"));
    walk.notes.extend(emulated);
    if depth == 1 && !walk.indirect.is_empty() {
        let names: Vec<_> = walk.indirect.iter().map(|it| format!("`{it}`")).collect();
        walk.notes
            .push(format!("these extend or implement it through another one: {}", listed(&names, NAMED)));
    }
    Ok(HierarchyResult {
        completeness: Completeness {
            complete,
            source: Source(format!("language-server:{name}")),
            note: (!walk.notes.is_empty()).then(|| walk.notes.join("; ")),
            gap: walk.is_cut.then_some(Gap::Limit),
        },
        links: walk.links,
    })
}

fn provider(way: Hierarchy) -> &'static str {
    match way {
        Hierarchy::Callers | Hierarchy::Callees => "callHierarchyProvider",
        Hierarchy::Supertypes | Hierarchy::Subtypes => "typeHierarchyProvider",
    }
}

/// Returns a note on what an emulated hierarchy may lack or have too much, if anything.
fn emulated(asking: &QueryContext, way: Hierarchy) -> Option<String> {
    let (language, server) = (asking.server.setup.language, asking.server.name());
    match way {
        Hierarchy::Callers => {
            Some(format!("{server} has no call hierarchy: these are all uses, calls or not"))
        }
        // The heads of types were read, which name what they extend.
        Hierarchy::Subtypes if language.syntax().is_some() => None,
        Hierarchy::Subtypes => Some(format!(
            "{server} has no type hierarchy: these implement it, directly or not, without interfaces that extend it"
        )),
        Hierarchy::Supertypes | Hierarchy::Callees => None,
    }
}

/// Returns `true` if the heads of these types name all of their supertypes. In Rust other code adds some.
fn is_named_in_head(language: &Language, asked: &[Candidate]) -> bool {
    language.supertypes == SupertypeRule::HeadAlone
        && asked.iter().all(|it| matches!(it.kind.as_str(), "class" | "interface"))
}

fn lacking(asking: &QueryContext, way: Hierarchy, target: &Target) -> IdeError {
    let (name, server) = (target.name.as_deref().unwrap_or("NAME"), asking.server.name());
    let advice = match way {
        Hierarchy::Callees => format!("source(`{name}`) shows what it calls."),
        _ => format!("findReferences(`{name}`) has the lines that extend it among the uses."),
    };
    IdeError::new(ErrorCode::Unavailable, format!("{server} has no `{}`", way.operation())).recovery(advice)
}

/// Resolves the root of the hierarchy: the server's items for the symbol, or its definition.
async fn start(
    asking: &QueryContext,
    roots: &SessionFolders,
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
    let mut first = None;
    for subject in subjects(asking, roots, target).await? {
        let mut steps = Vec::new();
        if has_it {
            let written = written_at(asking, &subject).await?;
            steps = prepared(asking, way, (&subject.path, subject.point), written.as_ref()).await?;
        } else {
            let found = led_to(asking, &subject.path, subject.point).await?;
            steps.extend(found.into_iter().map(|candidate| Step { candidate, items: Vec::new() }));
        }
        // The first subject with the name is the most likely, even if the server prepares another one here.
        let likeliest = first.filter(|it: &Subject| steps.is_empty() || it.name == subject.name);
        if !steps.is_empty() {
            return Ok((likeliest.unwrap_or(subject), steps));
        }
        first = likeliest.or(Some(subject));
    }
    first.map(|it| (it, Vec::new())).ok_or_else(|| nothing_there(target).into())
}

/// Returns the macro call that expands to the definition. A server that goes to the declaration instead looks
/// for the calls of the definition there.
async fn written_at(asking: &QueryContext, subject: &Subject) -> Result<Option<RawTarget>, Problem> {
    let targets = asking.definition(&subject.path, subject.point).await?;
    for target in targets.iter().filter(|_| asking.profile().guesses) {
        let Some(extent) = asking.extent(&target.name).await else { continue };
        let (path, name) = (target.name.path.clone(), subject.name.clone());
        if is_written_by_macro(asking, &Subject { path, point: extent.start, name }).await {
            return Ok(Some(target.clone()));
        }
    }
    Ok(None)
}

/// Requests the server's items at a position, moved to the macro call that writes the definition, if any.
async fn prepared(
    asking: &QueryContext,
    way: Hierarchy,
    (path, point): (&Path, Point),
    written: Option<&RawTarget>,
) -> Result<Vec<Step>, Problem> {
    let mut steps = Vec::new();
    for item in asking.prepare(way, path, point).await? {
        let item = match written {
            Some(written) => item.moved(written),
            None => item,
        };
        if let Some(step) = taken_for(asking, item).await? {
            join(&mut steps, step);
        }
    }
    Ok(steps)
}

async fn taken_for(asking: &QueryContext, item: RawItem) -> Result<Option<Step>, Problem> {
    let found = match item.is_file() {
        true => file(asking, &item.target).await?,
        false => there(asking, &item.target, item.name()).await?,
    };
    let Some(mut candidate) = found else { return Ok(None) };
    if let Some((Piece::Signature, at)) = piece_of(asking, &candidate.path, candidate.name_at.start).await {
        let nodes = asking.outline(&candidate.path).await?;
        let whole = outline::named_at(&nodes, at).map(|it| of_node(&candidate.path, &it, &Name::any()));
        candidate = whole.unwrap_or(candidate);
    }
    name_impl(&mut candidate);
    Ok(Some(Step { candidate, items: vec![item] }))
}

/// Adds a symbol, or the items of another overload to a known symbol.
fn join(steps: &mut Vec<Step>, step: Step) {
    match steps.iter_mut().find(|it| it.is_at(&step)) {
        Some(known) => known.items.extend(step.items),
        None => steps.push(step),
    }
}

/// Returns a candidate for a file whose top-level statements call; it is named after the file.
async fn file(asking: &QueryContext, target: &RawTarget) -> Result<Option<Candidate>, Problem> {
    let path = &target.name.path;
    let (Some(whole), Some(name_at)) =
        (asking.extent(&target.whole).await, asking.extent(&target.name).await)
    else {
        return Err(Problem::FilesChanged);
    };
    Ok(Some(module(path, whole, name_at)))
}

/// A breadth-first walk.
struct Walk<'a> {
    asking: &'a QueryContext,
    roots: &'a SessionFolders,
    way: Hierarchy,
    links: Vec<Link>,
    notes: Vec<String>,
    /// The symbols visited.
    seen: BTreeSet<(PathBuf, Point, String)>,
    /// The calls of the root.
    calls: BTreeSet<(PathBuf, Extent)>,
    /// The calls of other symbols that the server confuses with these.
    apart: Apart,
    /// The names of the neighbours of the root that are related to it through another one.
    indirect: BTreeSet<String>,
    /// The names of dependencies that were not followed although the depth would allow it.
    beyond: BTreeSet<String>,
    /// True if links were left out because there are too many.
    is_cut: bool,
}

impl Walk<'_> {
    async fn go(&mut self, first: Vec<Step>, depth: u32) -> Result<(), Problem> {
        let mut left: VecDeque<(Step, u32)> = VecDeque::new();
        for step in first {
            self.seen.insert(identity(&step.candidate));
            left.push_back((step, 0));
        }
        let mut asked = 0;
        while let Some((step, level)) = left.pop_front() {
            if asked == ASKED || self.links.len() >= LINKS {
                let unasked = left.len() + 1;
                self.is_cut = true;
                self.notes.push(format!(
                    "cut after {} links; {unasked} more symbols were not asked about",
                    self.links.len()
                ));
                break;
            }
            asked += 1;
            let found = self.next(&step).await?;
            for (other, places) in self.corrected(&step, found).await? {
                self.link(&step.candidate, &other.candidate, &places).await;
                if level == 0 {
                    self.calls.extend(places);
                }
                // Dependencies are not followed further.
                if !self.seen.insert(identity(&other.candidate)) || level + 1 == depth {
                    continue;
                }
                if self.roots.contains(&other.candidate.path) {
                    left.push_back((other, level + 1));
                } else {
                    self.beyond.insert(other.candidate.name.clone());
                }
            }
        }
        self.links.truncate(LINKS);
        Ok(())
    }

    /// Corrects the neighbours that the server lists.
    async fn corrected(&mut self, of: &Step, mut found: Vec<Next>) -> Result<Vec<Next>, Problem> {
        if of.items.is_empty() {
            match self.way {
                Hierarchy::Subtypes => return self.with_extending(of, found).await,
                Hierarchy::Supertypes => return self.with_unfollowed(of, found).await,
                Hierarchy::Callers | Hierarchy::Callees => {}
            }
        }
        let context = self.context();
        let listed = found.iter().map(|(it, places)| (it.candidate.clone(), places.clone())).collect();
        let (of, way) = (of.candidate.clone(), self.way);
        let mut related = Related::new(of, way, listed);
        corrections::correct_related(&context, &mut related).await?;
        let Related { added, apart, gaps, .. } = related;
        for candidate in added {
            let at = (candidate.path.as_path(), candidate.name_at.start);
            let steps = prepared(context.asking, way, at, None).await?;
            let step = steps.into_iter().next().unwrap_or(Step { candidate, items: Vec::new() });
            found.push((step, Vec::new()));
        }
        if way != Hierarchy::Callers {
            found.sort_by_key(|(step, _)| {
                (!context.roots.contains(&step.candidate.path), identity(&step.candidate))
            });
        } else {
            found.iter_mut().for_each(|(_, places)| places.retain(|it| !apart.uses.contains(it)));
            found.retain(|(_, places)| !places.is_empty());
        }
        self.apart.add(apart);
        self.notes.extend(gaps.into_iter().filter(|it| !self.notes.contains(it)).collect::<Vec<_>>());
        Ok(found)
    }

    /// Adds the types whose heads name this one, where the server does not list them as implementations.
    async fn with_extending(&mut self, of: &Step, mut found: Vec<Next>) -> Result<Vec<Next>, Problem> {
        let (asking, roots) = (self.asking, self.roots);
        let uses = uses_of(self.as_implementations(), &subject_of(&of.candidate)).await?;
        let heads =
            file_syntax::with_usage(asking, roots, &uses.extents, |it| it.role == "implementation").await;
        let (mut direct, mut nameless) = (BTreeSet::new(), Vec::new());
        for place @ (path, extent) in heads {
            let is_there = |it: &Candidate| {
                it.path == *path
                    && (it.whole.holds(extent.start) || it.name_at.start.line == extent.start.line)
            };
            match found.iter().find(|(it, _)| is_there(&it.candidate)) {
                Some((it, _)) => drop(direct.insert(identity(&it.candidate))),
                None => match type_around(asking, path, extent.start).await? {
                    Some(it) if identity(&it) == identity(&of.candidate) => {}
                    Some(candidate) => {
                        direct.insert(identity(&candidate));
                        found.push((Step { candidate, items: Vec::new() }, Vec::new()));
                    }
                    None => nameless.push(place),
                },
            }
        }
        if !nameless.is_empty() {
            let (server, name, at) =
                (asking.server.name(), &of.candidate.name, places(roots, nameless, NAMED));
            self.notes.push(format!("{server} does not list what implements or extends `{name}` at {at}"));
        }
        if self.links.is_empty() && asking.server.setup.language.supertypes == SupertypeRule::HeadAlone {
            let others = found.iter().filter(|(it, _)| !direct.contains(&identity(&it.candidate)));
            self.indirect.extend(others.map(|(it, _)| it.candidate.name.clone()));
        }
        Ok(found)
    }

    /// Notes the names in the head of a type that lead to no type, where heads name all supertypes.
    async fn with_unfollowed(&mut self, of: &Step, found: Vec<Next>) -> Result<Vec<Next>, Problem> {
        let (asking, of) = (self.asking, &of.candidate);
        if is_named_in_head(asking.server.setup.language, std::slice::from_ref(of)) {
            let left = supertypes::unfollowed(asking, of).await?;
            let left: Vec<_> = left.into_iter().map(|(path, point)| (path, Extent::at(point))).collect();
            if !left.is_empty() {
                let at = places(self.roots, &left, NAMED);
                self.notes
                    .push(format!("`{}` also extends what no name of a type stands for, at {at}", of.name));
            }
        }
        Ok(found)
    }

    /// Returns the reason why subtypes may be missing that only macros make.
    async fn unexpanded_subtypes(&self, subject: &Subject, depth: u32) -> Result<Option<String>, Problem> {
        if self.asking.unknown.is_none() || depth > 1 {
            return Ok(self.asking.unknown.clone());
        }
        let context = self.as_implementations();
        let uses = uses_of(context, subject).await?;
        unexpanded::doubt(&Query { context, subject, include_declaration: false }, &uses).await
    }

    fn as_implementations(&self) -> Context<'_> {
        Context { operation: Operation::Implementations, ..self.context() }
    }

    fn context(&self) -> Context<'_> {
        let operation = match self.way {
            Hierarchy::Callers => Operation::Callers,
            Hierarchy::Callees => Operation::Callees,
            Hierarchy::Supertypes => Operation::Supertypes,
            Hierarchy::Subtypes => Operation::Subtypes,
        };
        Context { asking: self.asking, roots: self.roots, operation }
    }

    /// Compares the callers with the references and adds the calls that the server omits. Returns notes on
    /// additions and doubtful calls; gaps go to the walk's notes.
    async fn unlisted_callers(
        &mut self,
        subject: &Subject,
        callee: Option<&Candidate>,
        depth: u32,
    ) -> Result<Vec<String>, Problem> {
        let (asking, roots, name) = (self.asking, self.roots, &subject.name);
        let context = Context { asking, roots, operation: Operation::Callers };
        let query = Query { context, subject, include_declaration: false };
        let mut uses = uses_of(context, subject).await?;
        let Uses { extents, apart, other_programs, .. } = &mut uses;
        extents.retain(|it| !apart.uses.contains(it));
        let spelled: Vec<_> = other_programs.iter().map(|it| roots.display_path(it)).collect();
        self.links.retain(|link| {
            link.at.is_empty()
                || !link.at.iter().all(|it| spelled.contains(&it.path))
                || link.to.name != *name
        });
        // Some servers return the start of the expression instead of the name, so calls are matched by line.
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        for (path, extent) in &self.calls {
            *known.entry((path, extent.start.line)).or_default() += 1;
        }
        let is_operator = operator_calls::is_operator(asking.server.setup.language, name);
        let is_call = |it: &syntax_facts::Usage| it.is_call() || is_operator && it.role == "read";
        let mut unlisted = file_syntax::with_usage(asking, roots, &uses.extents, is_call).await;
        unlisted.retain(|(path, extent)| match known.get_mut(&(path, extent.start.line)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        });
        let server = asking.server.name();
        let mut callers: Vec<Next> = Vec::new();
        let mut nobody = Vec::new();
        for place @ (path, extent) in unlisted {
            match (callee, self.around(path, extent.start).await?) {
                (Some(_), Some(caller)) => add(&mut callers, caller, place.clone()),
                _ => nobody.push(place),
            }
        }
        let mut notes: Vec<_> = self.added(&callers, depth).into_iter().collect();
        for (caller, places) in callers {
            if let Some(callee) = callee {
                self.link(callee, &caller.candidate, &places).await;
            }
        }
        if !nobody.is_empty() {
            let (count, calls) = (nobody.len(), if nobody.len() == 1 { "call" } else { "calls" });
            let at = places(roots, nobody, NAMED);
            self.notes.push(format!("{server} leaves out {count} {calls} of `{name}`: {at}"));
        }
        self.notes.append(&mut uses.gaps);
        self.notes.extend(corrections::gaps(&query, &uses.home).await?);
        // Of the callers' callers, none was judged.
        self.notes.extend(match depth {
            1 => unexpanded::doubt(&query, &uses).await?,
            _ => asking.unknown.clone(),
        });
        notes.append(&mut uses.remarks);
        notes.extend(references::doubts(&query, &uses).await?);
        Ok(notes)
    }

    /// Adds the calls in these functions that the server omits, and returns a note on them.
    async fn unlisted_callees(&mut self, callers: &[Candidate], depth: u32) -> Result<Vec<String>, Problem> {
        let mut added: Vec<Next> = Vec::new();
        for caller in callers {
            let mut callees: Vec<Next> = Vec::new();
            for (candidate, place) in
                corrections::unlisted_calls(&self.context(), caller, &self.calls).await?
            {
                add(&mut callees, Step { candidate, items: Vec::new() }, place);
            }
            for (callee, places) in &callees {
                self.link(caller, &callee.candidate, places).await;
            }
            added.extend(callees);
        }
        Ok(self.added(&added, depth).into_iter().collect())
    }

    /// Returns a note on the added calls. At depths above 1 it counts as a gap, since the added symbols are not
    /// followed.
    fn added(&mut self, calls: &[Next], depth: u32) -> Option<String> {
        let places = places(self.roots, calls.iter().flat_map(|(_, places)| places), NAMED);
        let note =
            format!("{} lists no calls at {places}: these were found by the name", self.asking.server.name());
        if calls.is_empty() {
            return None;
        }
        if depth == 1 {
            return Some(note);
        }
        self.notes.push(note);
        None
    }

    /// Returns the function that encloses a position.
    async fn around(&self, path: &Path, point: Point) -> Result<Option<Step>, Problem> {
        let nodes = self.asking.outline(path).await?;
        let any = Name::any();
        let all = outline::all(&nodes);
        let around = outline::function_around(&all, point);
        Ok(around.map(|it| Step { candidate: of_node(path, it, &any), items: Vec::new() }))
    }

    async fn next(&self, step: &Step) -> Result<Vec<Next>, Problem> {
        if step.items.is_empty() {
            return match self.way {
                Hierarchy::Callers => self.users(&step.candidate).await,
                Hierarchy::Subtypes => self.implementors(&step.candidate).await,
                _ => self.named(&step.candidate).await,
            };
        }
        let mut related = Vec::new();
        for item in &step.items {
            related.extend(self.asking.related(self.way, item).await?);
        }
        let mut found = Vec::new();
        for (item, calls) in related {
            let Some(step) = taken_for(self.asking, item).await? else { continue };
            let mut places = Vec::new();
            for call in calls {
                let extent = self.asking.extent(&call).await.ok_or(Problem::FilesChanged)?;
                let place = (call.path, extent);
                if !places.contains(&place) {
                    places.push(place);
                }
            }
            // Some servers repeat an item for each project that they loaded.
            let known = found.iter_mut().find(|(it, _): &&mut Next| it.is_at(&step));
            match known {
                Some((known, at)) => {
                    known.items.extend(
                        step.items.into_iter().filter(|it| !known.items.contains(it)).collect::<Vec<_>>(),
                    );
                    at.extend(places.into_iter().filter(|it| !at.contains(it)).collect::<Vec<_>>());
                }
                None => found.push((step, places)),
            }
        }
        // Symbols of the workspace come first.
        found
            .sort_by_key(|(step, _)| (!self.roots.contains(&step.candidate.path), identity(&step.candidate)));
        Ok(found)
    }

    /// Returns the functions that contain the uses of a symbol.
    async fn users(&self, of: &Candidate) -> Result<Vec<Next>, Problem> {
        let spelled = self.roots.place(of.path.clone()).spelling;
        let at = ide_protocol::Location {
            path: spelled,
            line: of.name_at.start.line,
            column: Some(of.name_at.start.column),
        };
        let request = ReferencesQuestion {
            target: Target { name: Some(of.name.clone()), at: Some(at) },
            include_declaration: false,
        };
        let uses = references::references(self.asking, self.roots, &request).await?;
        let mut found: Vec<Next> = Vec::new();
        for used in uses.references {
            let path = match self.roots.resolve(&used.path) {
                Ok(place) => place.path,
                // The file may not be read; a note covers that.
                Err(_) if used.external => continue,
                Err(error) => return Err(error.into()),
            };
            let extent = Extent { start: used.start, end: used.end };
            // A use outside any function has no caller.
            let Some(user) = self.around(&path, used.start).await? else { continue };
            add(&mut found, user, (path, extent));
        }
        Ok(found)
    }

    async fn implementors(&self, of: &Candidate) -> Result<Vec<Next>, Problem> {
        let targets = self.asking.goto(Navigation::Implementations, &of.path, of.name_at.start).await?;
        let mut found = Vec::new();
        for target in targets {
            found.extend(
                there(self.asking, &target, Some(&of.name)).await?.filter(|it| identity(it) != identity(of)),
            );
        }
        mentioned_only(self.asking, self.roots, &mut found).await;
        found.iter_mut().for_each(name_impl);
        Ok(found.into_iter().map(|candidate| (Step { candidate, items: Vec::new() }, Vec::new())).collect())
    }

    async fn named(&self, of: &Candidate) -> Result<Vec<Next>, Problem> {
        let types = supertypes::named(self.asking, of).await?;
        Ok(types.into_iter().map(|candidate| (Step { candidate, items: Vec::new() }, Vec::new())).collect())
    }

    async fn link(&mut self, asked: &Candidate, other: &Candidate, places: &[(PathBuf, Extent)]) {
        let (from, to) = if self.way.is_upstream() { (other, asked) } else { (asked, other) };
        let mut at: Vec<FileRange> = Vec::new();
        for (path, extent) in places {
            self.roots.allow_named(path);
            let range = file_range(self.asking, self.roots, path, *extent).await;
            let usages = file_syntax::usages(self.asking, self.roots, path, &[*extent]).await;
            let usage = usages.and_then(|it| it.into_iter().next());
            at.push(usage.map_or_else(|| range.clone(), |it| it.add_to(range.clone())));
        }
        self.roots.allow_named(&other.path);
        let (from, to) =
            (write(self.asking, self.roots, from).await, write(self.asking, self.roots, to).await);
        self.links.push(Link { from, to, at });
    }
}

fn subject_of(candidate: &Candidate) -> Subject {
    let Candidate { path, name_at, name, .. } = candidate;
    Subject { path: path.clone(), point: name_at.start, name: name.clone() }
}

/// Adds a call to its caller's calls.
fn add(callers: &mut Vec<Next>, caller: Step, place: (PathBuf, Extent)) {
    match callers.iter_mut().find(|(it, _)| it.is_at(&caller)) {
        Some((_, places)) => places.push(place),
        None => callers.push((caller, vec![place])),
    }
}

/// Returns the key of a symbol. It includes the name, since a macro may define several symbols in one place.
fn identity(candidate: &Candidate) -> (PathBuf, Point, String) {
    (candidate.path.clone(), candidate.name_at.start, candidate.name.clone())
}
