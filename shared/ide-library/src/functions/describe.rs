//! `describe`: what a symbol is, in a few lines.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Definition, Target};

use super::{Code, asking};
use crate::DefinitionsQuestion;
use crate::failure::of_wire;
use crate::memory::Memory;
use crate::remark::remark;
use crate::resolve::Resolver;
use crate::spelling::spell;
use crate::symbol::{Symbol, start_of, target_of};

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("describe(symbol)", asking(host, describe))
}

async fn describe(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let definition = Resolver::new(&host, &invocation).only(&symbol).await?;
    let target: Target = target_of(&definition);
    let answer = host.description(DefinitionsQuestion { target }).await.map_err(of_wire)?;
    remark(&invocation.notes, &answer);
    let docs = answer.docs.map(|it| format!("\n\n{it}")).unwrap_or_default();
    Ok(format!("{}\n{}{docs}", heading(&definition), answer.signature).into())
}

/// `method area of Square, src/lib.rs:22:8`
fn heading(definition: &Definition) -> String {
    let Definition { name, kind, container, name_at, .. } = definition;
    let container = container.as_ref().map(|it| format!(" of {it}")).unwrap_or_default();
    let external = if name_at.external { " (external)" } else { "" };
    format!("{kind} {name}{container}, {}{external}", spell(&start_of(name_at)))
}
