//! `findDeclarations`, `findTypeDefinitions`, `findImplementations`: the symbols that a symbol leads to.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{DefinitionsQuestion, Navigation, Target};

use super::find_definitions::shown;
use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::from_wire;
use crate::resolve::Resolver;
use crate::row::{Code, with_host};
use crate::symbol::Symbol;

pub(crate) fn codes(host: &Arc<CachedHost>) -> [Code; 3] {
    [
        ("findDeclarations(symbol)", Navigation::Declarations),
        ("findTypeDefinitions(symbol)", Navigation::TypeDefinitions),
        ("findImplementations(symbol)", Navigation::Implementations),
    ]
    .map(|(takes, way)| {
        Implementation::of(takes, with_host(host, move |host, invocation| navigate(way, host, invocation)))
    })
}

async fn navigate(
    way: Navigation,
    host: Arc<CachedHost>,
    invocation: Invocation,
) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let definition = Resolver::new(&host, &invocation).only(&symbol).await?;
    let question = DefinitionsQuestion::new(Target::of(&definition));
    let answer = host.ask(way.operation(), &question).await.map_err(from_wire)?;
    note_completeness(way.operation(), &invocation.notes, &answer.completeness);
    Ok(shown(answer.definitions))
}
