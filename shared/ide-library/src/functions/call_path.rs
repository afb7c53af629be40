//! `callPath`: a shortest path of calls between two functions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ailang::Implementation;
use dialect::{Gap, GapCause, Interrupt, Invocation, Notes, Value};
use futures::future::join_all;
use ide_protocol::{
    Completeness, Definition, Hierarchy, HierarchyQuestion, HierarchyResult, IdeError, Line, Link, Target,
};

use super::calls::places;
use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::{from_wire, sentence};
use crate::resolve::{Resolver, Subject};
use crate::row::{Code, plain, with_host};
use crate::symbol::Symbol;

/// The maximum number of functions whose callers are asked for.
const QUESTIONS: usize = 64;

/// The maximum number of them that are asked about concurrently.
const AT_A_TIME: usize = 8;

/// The depth without the argument.
const DEPTH: usize = 6;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("callPath(from, to, depth?)", with_host(host, call_path))
}

async fn call_path(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let depth: Option<usize> = invocation.arguments.read("depth")?;
    let mut ends = Vec::new();
    for argument in ["from", "to"] {
        let symbol: Symbol = invocation.arguments.read(argument)?;
        let resolver = Resolver::new(&host, &invocation).about(Subject::Calls).argument(argument);
        ends.push(resolver.only(&symbol).await?);
    }
    let (from, to) = (place(&ends[0]), place(&ends[1]));
    let mut search = Search { toward: BTreeMap::new(), doubts: Vec::new(), unanswered: BTreeSet::new() };
    let bound = search.run(&host, &ends[1], &from, depth.unwrap_or(DEPTH)).await?;
    let path = search.path(&from, &to);
    if path.is_empty() {
        search.note(&invocation.notes, bound);
    }
    Ok(plain(&path))
}

/// The identity of a function.
type Place = (String, Line, String);

fn place(definition: &Definition) -> Place {
    let at = &definition.name_at;
    (at.path.clone(), at.start.line, definition.name.clone())
}

/// A breadth-first search from the callee to its callers.
struct Search {
    /// For each function that was reached, its call toward the callee.
    toward: BTreeMap<Place, Link>,
    /// The reasons why callers may be missing.
    doubts: Vec<Completeness>,
    /// The functions whose callers are not known.
    unanswered: BTreeSet<String>,
}

/// The bound that ended a search.
enum Bound {
    Depth(usize),
    Questions,
}

impl Search {
    /// Searches until `from` is reached, or no caller is new. Returns the bound if one ended it.
    async fn run(
        &mut self,
        host: &CachedHost,
        to: &Definition,
        from: &Place,
        depth: usize,
    ) -> Result<Option<Bound>, Interrupt> {
        let (mut level, mut seen, mut asked) = (vec![to.clone()], BTreeSet::from([place(to)]), 0);
        for _ in 0..depth {
            let mut next = Vec::new();
            for some in level.chunks(AT_A_TIME) {
                if asked >= QUESTIONS {
                    return Ok(Some(Bound::Questions));
                }
                asked += some.len();
                for (callee, answer) in
                    some.iter().zip(join_all(some.iter().map(|it| callers(host, it))).await)
                {
                    let Some(answer) = self.checked(callee, answer, asked == some.len())? else { continue };
                    for link in answer.links {
                        let caller = place(&link.from);
                        if seen.insert(caller.clone()) {
                            next.push(link.from.clone());
                        }
                        self.toward.entry(caller).or_insert(link);
                    }
                }
                if self.toward.contains_key(from) {
                    return Ok(None);
                }
            }
            if next.is_empty() {
                return Ok(None);
            }
            level = next;
        }
        Ok(Some(Bound::Depth(depth)))
    }

    /// Returns an answer, and records why callers may be missing. Without the first one there is no answer.
    fn checked(
        &mut self,
        callee: &Definition,
        answer: Result<HierarchyResult, IdeError>,
        is_first: bool,
    ) -> Result<Option<HierarchyResult>, Interrupt> {
        match answer {
            Ok(answer) => {
                if !answer.completeness.is_complete() && !self.doubts.contains(&answer.completeness) {
                    self.doubts.push(answer.completeness.clone());
                }
                Ok(Some(answer))
            }
            Err(error) if is_first => Err(from_wire(error).into()),
            Err(_) => {
                self.unanswered.insert(format!("`{}`", callee.name));
                Ok(None)
            }
        }
    }

    /// Returns the first call of each step, in order from the caller.
    fn path(&self, from: &Place, to: &Place) -> Vec<super::calls::Called> {
        let (mut path, mut at) = (Vec::new(), from.clone());
        // A recursive function is its own caller.
        while path.len() <= self.toward.len() {
            let Some(link) = self.toward.get(&at) else { break };
            path.extend(places(link.clone()).into_iter().next());
            at = place(&link.to);
            if at == *to {
                return path;
            }
        }
        Vec::new()
    }

    /// Notes the reasons why there may be a path all the same.
    fn note(&self, notes: &Notes, bound: Option<Bound>) {
        match bound {
            Some(Bound::Depth(depth)) => notes.add_gap(
                format!("No path of {depth} calls or fewer; a greater `depth` searches on."),
                Gap::new(GapCause::Limit, format!("paths of more than {depth} calls")),
            ),
            Some(Bound::Questions) => notes.add_gap(
                format!(
                    "No path found: the search ended after the callers of {QUESTIONS} functions. Ask for a part of the \
                     path."
                ),
                Gap::new(GapCause::Limit, format!("it ended after the callers of {QUESTIONS} functions")),
            ),
            None => {}
        }
        for doubt in &self.doubts {
            note_completeness(Hierarchy::Callers.operation(), notes, doubt);
        }
        if !self.unanswered.is_empty() {
            let names: Vec<_> = self.unanswered.iter().cloned().collect();
            let reason = format!("the callers of {} are not known", names.join(", "));
            notes.add_gap(sentence(&reason), Gap::new(GapCause::Failed, reason));
        }
    }
}

async fn callers(host: &CachedHost, of: &Definition) -> Result<HierarchyResult, IdeError> {
    let question = HierarchyQuestion { target: Target::of(of), depth: 1 };
    host.ask(Hierarchy::Callers.operation(), &question).await
}
