//! The nodes of a hierarchy, and the items of the server that they come from.

use std::path::{Path, PathBuf};

use ide_protocol::{Hierarchy, Point};

use crate::fallback::operations::corrections::overloads::{Piece, piece_of};
use crate::fallback::operations::lookup::candidates::name_impl;
use crate::fallback::operations::lookup::leads::there;
use crate::fallback::operations::lookup::target::{Subject, is_written_by_macro};
use crate::fallback::servers::run::convert::{RawItem, RawTarget};
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::{Candidate, module, of_node, plain};

/// A node of the hierarchy.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) candidate: Candidate,
    /// The server's items for it, one per overload; empty if the server has no such hierarchy.
    pub(super) items: Vec<RawItem>,
}

impl Node {
    /// Returns `true` if both are the same symbol.
    pub(super) fn is_at(&self, other: &Self) -> bool {
        identity(&self.candidate) == identity(&other.candidate)
    }
}

/// A neighbour in the hierarchy, with the places of its calls.
pub(super) type Neighbour = (Node, Vec<(PathBuf, Extent)>);

/// Returns the macro call that expands to the definition. A server that goes to the declaration instead looks
/// for the calls of the definition there.
pub(super) async fn written_at(
    asking: &QueryContext,
    subject: &Subject,
) -> Result<Option<RawTarget>, Problem> {
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
pub(super) async fn prepared(
    asking: &QueryContext,
    way: Hierarchy,
    (path, point): (&Path, Point),
    written: Option<&RawTarget>,
) -> Result<Vec<Node>, Problem> {
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

pub(super) async fn taken_for(asking: &QueryContext, item: RawItem) -> Result<Option<Node>, Problem> {
    let found = match item.is_file() {
        true => file(asking, &item.target).await?,
        false => there(asking, &item.target, item.name()).await?,
    };
    let Some(mut candidate) = found else { return Ok(None) };
    if let Some(below) = below_attribute(asking, &candidate, item.name()).await? {
        candidate = below;
    }
    if let Some((Piece::Signature, at)) = piece_of(asking, &candidate.path, candidate.name_at.start).await {
        let nodes = asking.outline(&candidate.path).await?;
        let whole = outline::named_at(&nodes, at).map(|it| of_node(&candidate.path, &it, &Name::any()));
        candidate = whole.unwrap_or(candidate);
    }
    name_impl(&mut candidate);
    Ok(Some(Node { candidate, items: vec![item] }))
}

/// Returns the definition below an attribute where the server gives the place of the attribute. rust-analyzer does so for
/// functions that a macro such as `#[tokio::test]` writes anew, once it has expanded the macro.
async fn below_attribute(
    asking: &QueryContext,
    candidate: &Candidate,
    called: Option<&str>,
) -> Result<Option<Candidate>, Problem> {
    let Some(called) = called.filter(|it| candidate.is_local && *it != candidate.name) else {
        return Ok(None);
    };
    let nodes = asking.outline(&candidate.path).await?;
    let after = outline::all(&nodes).into_iter().filter(|it| it.node.name_at.start > candidate.name_at.start);
    let next = after.min_by_key(|it| it.node.name_at.start).filter(|it| plain(&it.node.name) == called);
    Ok(next.map(|it| of_node(&candidate.path, &it, &Name::any())))
}

/// Adds a symbol, or the items of another overload to a known symbol.
pub(super) fn join(steps: &mut Vec<Node>, step: Node) {
    match steps.iter_mut().find(|it| it.is_at(&step)) {
        Some(known) => known.items.extend(step.items),
        None => steps.push(step),
    }
}

/// Returns a candidate for a file whose top-level statements call; it is named after the file.
pub(super) async fn file(asking: &QueryContext, target: &RawTarget) -> Result<Option<Candidate>, Problem> {
    let path = &target.name.path;
    let (Some(whole), Some(name_at)) =
        (asking.extent(&target.whole).await, asking.extent(&target.name).await)
    else {
        return Err(Problem::FilesChanged);
    };
    Ok(Some(module(path, whole, name_at)))
}

pub(super) fn subject_of(candidate: &Candidate) -> Subject {
    let Candidate { path, name_at, name, .. } = candidate;
    Subject { path: path.clone(), point: name_at.start, name: name.clone() }
}

/// Adds a call to its caller's calls.
pub(super) fn add(callers: &mut Vec<Neighbour>, caller: Node, place: (PathBuf, Extent)) {
    match callers.iter_mut().find(|(it, _)| it.is_at(&caller)) {
        Some((_, places)) => places.push(place),
        None => callers.push((caller, vec![place])),
    }
}

/// Returns the key of a symbol. It includes the name, since a macro may define several symbols in one place.
pub(super) fn identity(candidate: &Candidate) -> (PathBuf, Point, String) {
    (candidate.path.clone(), candidate.name_at.start, candidate.name.clone())
}
