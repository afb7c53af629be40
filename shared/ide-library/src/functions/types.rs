//! `findSupertypes`, `findSubtypes`: which type extends or implements which.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Definition, Hierarchy};

use super::calls::links;
use super::find_definitions::shown;
use super::{Code, asking};
use crate::memory::Memory;
use crate::symbol::start_of;

pub(crate) fn codes(host: &Arc<Memory>) -> [Code; 2] {
    [
        ("findSupertypes(symbol, depth?)", Hierarchy::Supertypes),
        ("findSubtypes(symbol, depth?)", Hierarchy::Subtypes),
    ]
    .map(|(takes, way)| {
        Implementation::of(takes, asking(host, move |host, invocation| types(way, host, invocation)))
    })
}

/// Each once, the nearest first.
async fn types(way: Hierarchy, host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let answer = links(way, &host, &invocation).await?;
    let mut found: Vec<Definition> = Vec::new();
    for link in answer.links {
        let other = if way.is_upstream() { link.from } else { link.to };
        if !found.iter().any(|it| start_of(&it.name_at) == start_of(&other.name_at)) {
            found.push(other);
        }
    }
    Ok(shown(found))
}
