//! `findCallers`, `findCallees`: the call hierarchy.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Column, FileRange, Hierarchy, HierarchyQuestion, HierarchyResult, Line, Link, Target};
use serde::{Deserialize, Serialize};

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::from_wire;
use crate::resolve::{Resolver, Subject};
use crate::row::{Code, plain, with_host};
use crate::symbol::{PlaceWithText, Symbol};

/// A call in the code: the place, the function that calls and the one that is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Called {
    pub(crate) caller: Symbol,
    pub(crate) callee: Symbol,
    pub(crate) path: String,
    pub(crate) line: Line,
    pub(crate) column: Column,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) external: bool,
    /// The definition around the call, qualified by its type, and its kind.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub(crate) inside: Option<String>,
    #[serde(default, rename = "inKind", skip_serializing_if = "Option::is_none")]
    pub(crate) inside_kind: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) test: bool,
}

impl From<Called> for PlaceWithText {
    fn from(call: Called) -> Self {
        let Called { path, line, column, text, external, .. } = call;
        Self { path, line, column: Some(column), text, external }
    }
}

pub(crate) fn codes(host: &Arc<CachedHost>) -> [Code; 2] {
    [("findCallers(symbol, depth?)", Hierarchy::Callers), ("findCallees(symbol, depth?)", Hierarchy::Callees)]
        .map(|(takes, way)| {
            Implementation::of(takes, with_host(host, move |host, invocation| calls(way, host, invocation)))
        })
}

async fn calls(way: Hierarchy, host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let answer = links(way, &host, &invocation).await?;
    Ok(plain(&answer.links.into_iter().flat_map(places).collect::<Vec<_>>()))
}

/// Returns the host's answer about the argument `symbol`, to the argument `depth`.
pub(super) async fn links(
    way: Hierarchy,
    host: &CachedHost,
    invocation: &Invocation,
) -> Result<HierarchyResult, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let depth: Option<u32> = invocation.arguments.read("depth")?;
    let about = match way {
        Hierarchy::Callers | Hierarchy::Callees => Subject::Calls,
        Hierarchy::Supertypes | Hierarchy::Subtypes => Subject::Types,
    };
    let resolver = Resolver::new(host, invocation).about(about);
    // Callees and supertypes are named inside the definition, callers and subtypes only name it.
    let alike = match way {
        Hierarchy::Callers | Hierarchy::Subtypes => resolver.alike(&symbol).await?,
        Hierarchy::Callees => vec![resolver.only(&symbol).await?],
        Hierarchy::Supertypes => resolver.whole(&symbol).await?,
    };
    let question = HierarchyQuestion { target: Target::of(&alike[0]), depth: depth.unwrap_or(1) };
    let answer = host.ask(way.operation(), &question).await.map_err(from_wire)?;
    resolver.settle(&symbol, &alike, &answer.completeness.source)?;
    note_completeness(way.operation(), &invocation.notes, &answer.completeness);
    Ok(answer)
}

/// Returns a call for each place. A call whose place is unknown gets that of its caller.
pub(super) fn places(link: Link) -> Vec<Called> {
    let Link { from, to, at } = link;
    let (caller, callee) = (Symbol::from_definition(&from), Symbol::from_definition(&to));
    let at = if at.is_empty() { vec![from.name_at] } else { at };
    let call = |place: FileRange| {
        let FileRange { path, start, text, external, inside, inside_kind, test, .. } = place;
        let (caller, callee) = (caller.clone(), callee.clone());
        let (line, column) = (start.line, start.column);
        Called { caller, callee, path, line, column, text, external, inside, inside_kind, test }
    };
    at.into_iter().map(call).collect()
}
