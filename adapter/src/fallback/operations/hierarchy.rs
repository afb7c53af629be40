//! Call and type hierarchies, starting from one symbol.
//!
//! For servers without such a hierarchy, it is emulated, and a reason says so: callers from references, subtypes
//! from implementations, supertypes from the head of the definition.

mod calls;
mod items;
mod types;
mod walk;

use ide_protocol::{
    Completeness, ErrorCode, Hierarchy, HierarchyQuestion, HierarchyResult, IdeError, Operation, Reason,
    Source, Target,
};
use items::{Node, prepared, written_at};
use serde_json::{Value, json};
use walk::Walk;

use super::about_symbol::about_symbol;
use super::handler::{Call, Handler};
use super::lookup::leads::led_to;
use super::lookup::target::{Subject, nothing_there, subjects};
use super::server_query::{Openness, ServerQuery, SyntacticAnswer};
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::Language;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::workspace::session_folders::SessionFolders;

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
    let mut walk = Walk::new(asking, roots, way);
    if first.is_empty() && !asking.is_loaded(&subject.path, subject.point).await? {
        walk.reasons.push(asking.not_loaded_reason(&subject.name));
    }
    walk.reasons.extend(asking.left_out.iter().cloned());
    let asked: Vec<_> = first.iter().map(|it| it.candidate.clone()).collect();
    walk.go(first, depth).await?;
    match way {
        Hierarchy::Callers => walk.unlisted_callers(&subject, asked.first(), depth).await?,
        Hierarchy::Callees => walk.unlisted_callees(&asked, depth).await?,
        Hierarchy::Supertypes => walk.note_outside_types(),
        Hierarchy::Subtypes => walk.note_hidden_subtypes(&subject, depth).await?,
    }
    asking.check_unchanged().await?;
    let name = asking.server.name();
    let emulated = if has_it { None } else { emulated(asking, way) };
    walk.reasons.extend(walk.calls.apart.remarks(asking, roots, true));
    walk.reasons.extend(emulated);
    walk.reasons.extend(walk.indirect(depth));
    let source = Source(format!("language-server:{name}"));
    Ok(HierarchyResult { completeness: Completeness::gaps_first(source, walk.reasons), links: walk.links })
}

fn provider(way: Hierarchy) -> &'static str {
    match way {
        Hierarchy::Callers | Hierarchy::Callees => "callHierarchyProvider",
        Hierarchy::Supertypes | Hierarchy::Subtypes => "typeHierarchyProvider",
    }
}

/// Returns what an emulated hierarchy may lack or have too much, if anything.
fn emulated(asking: &QueryContext, way: Hierarchy) -> Option<Reason> {
    let (language, server) = (asking.server.setup.language, asking.server.name().to_owned());
    match way {
        Hierarchy::Callers => Some(Reason::NoCallHierarchy { server }),
        // The heads of types were read, which name what they extend.
        Hierarchy::Subtypes if language.syntax().is_some() => None,
        Hierarchy::Subtypes => Some(Reason::NoTypeHierarchy { server }),
        Hierarchy::Supertypes | Hierarchy::Callees => None,
    }
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
) -> Result<(Subject, Vec<Node>), Problem> {
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
            steps.extend(found.into_iter().map(|candidate| Node { candidate, items: Vec::new() }));
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
