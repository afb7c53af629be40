//! `findDeclarations`, `findTypeDefinitions`, `findImplementations`: where a symbol leads other than to its definition.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::Navigation;

use super::find_definitions::shown;
use super::{Code, asking};
use crate::DefinitionsQuestion;
use crate::failure::of_wire;
use crate::memory::Memory;
use crate::remark::remark_on;
use crate::resolve::Resolver;
use crate::symbol::{Symbol, target_of};

pub(crate) fn codes(host: &Arc<Memory>) -> [Code; 3] {
    [
        ("findDeclarations(symbol)", Navigation::Declarations),
        ("findTypeDefinitions(symbol)", Navigation::TypeDefinitions),
        ("findImplementations(symbol)", Navigation::Implementations),
    ]
    .map(|(takes, way)| {
        Implementation::of(takes, asking(host, move |host, invocation| navigate(way, host, invocation)))
    })
}

async fn navigate(way: Navigation, host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let definition = Resolver::new(&host, &invocation).only(&symbol).await?;
    let question = DefinitionsQuestion { target: target_of(&definition) };
    let answer = host.navigate(way, question).await.map_err(of_wire)?;
    remark_on(way.operation(), &invocation.notes, &answer);
    Ok(shown(answer.definitions))
}
