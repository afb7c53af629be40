//! `findSupertypes`, `findSubtypes`: the type hierarchy.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Definition, Hierarchy};

use super::calls::links;
use super::find_definitions::shown;
use crate::cached_host::CachedHost;
use crate::row::{Code, with_host};

pub(crate) fn codes(host: &Arc<CachedHost>) -> [Code; 2] {
    [
        ("findSupertypes(symbol, depth?)", Hierarchy::Supertypes),
        ("findSubtypes(symbol, depth?)", Hierarchy::Subtypes),
    ]
    .map(|(takes, way)| {
        Implementation::of(takes, with_host(host, move |host, invocation| types(way, host, invocation)))
    })
}

/// Returns each type once, the nearest first.
async fn types(way: Hierarchy, host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let answer = links(way, &host, &invocation).await?;
    let mut found: Vec<Definition> = Vec::new();
    for link in answer.links {
        let other = if way.is_upstream() { link.from } else { link.to };
        if !found.iter().any(|it| it.name_at.location() == other.name_at.location()) {
            found.push(other);
        }
    }
    Ok(shown(found))
}
