//! `findCallers`, `findCallees`: who calls whom.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Column, FileRange, Hierarchy, HierarchyResult, Line, Link};
use serde::{Deserialize, Serialize};

use super::{Code, asking, plain};
use crate::HierarchyQuestion;
use crate::failure::of_wire;
use crate::memory::Memory;
use crate::remark::remark_on;
use crate::resolve::{About, Resolver};
use crate::symbol::{Sight, Symbol, target_of};

/// Where one calls the other.
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
}

impl From<Called> for Sight {
    fn from(call: Called) -> Self {
        let Called { path, line, column, text, external, .. } = call;
        Self { path, line, column: Some(column), text, external }
    }
}

pub(crate) fn codes(host: &Arc<Memory>) -> [Code; 2] {
    [("findCallers(symbol, depth?)", Hierarchy::Callers), ("findCallees(symbol, depth?)", Hierarchy::Callees)]
        .map(|(takes, way)| {
            Implementation::of(takes, asking(host, move |host, invocation| calls(way, host, invocation)))
        })
}

async fn calls(way: Hierarchy, host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let answer = links(way, &host, &invocation).await?;
    Ok(plain(&answer.links.into_iter().flat_map(places).collect::<Vec<_>>()))
}

/// What the host answers about the argument `symbol`, to the `depth` that is asked for.
pub(super) async fn links(
    way: Hierarchy,
    host: &Memory,
    invocation: &Invocation,
) -> Result<HierarchyResult, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let depth: Option<u32> = invocation.arguments.read("depth")?;
    let about = match way {
        Hierarchy::Callers | Hierarchy::Callees => About::Calls,
        Hierarchy::Supertypes | Hierarchy::Subtypes => About::Types,
    };
    let resolver = Resolver::new(host, invocation).about(about);
    // What is called and what is extended stands in the one that is meant; who calls or extends it says its name.
    let alike = match way {
        Hierarchy::Callers | Hierarchy::Subtypes => resolver.alike(&symbol).await?,
        Hierarchy::Callees => vec![resolver.only(&symbol).await?],
        Hierarchy::Supertypes => resolver.whole(&symbol).await?,
    };
    let question = HierarchyQuestion { target: target_of(&alike[0]), depth: depth.unwrap_or(1) };
    let answer = host.hierarchy(way, question).await.map_err(of_wire)?;
    resolver.settle(&symbol, &alike, &answer.source)?;
    remark_on(way.operation(), &invocation.notes, &answer);
    Ok(answer)
}

/// A call for each place; one whose place is not known stands where its caller does.
fn places(link: Link) -> Vec<Called> {
    let Link { from, to, at } = link;
    let (caller, callee) = (Symbol::of(&from), Symbol::of(&to));
    let at = if at.is_empty() { vec![from.name_at] } else { at };
    let call = |place: FileRange| {
        let FileRange { path, start, text, external, .. } = place;
        let (caller, callee) = (caller.clone(), callee.clone());
        Called { caller, callee, path, line: start.line, column: start.column, text, external }
    };
    at.into_iter().map(call).collect()
}
