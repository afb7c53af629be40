//! `findSymbols`: the symbols with a similar name.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Operation, SymbolsQuestion};

use super::find_definitions::shown;
use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::from_wire;
use crate::row::{Code, with_host};

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("findSymbols(query, path?)", with_host(host, find_symbols))
}

async fn find_symbols(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let query = invocation.arguments.text("query")?.trim().to_owned();
    let path: Option<String> = invocation.arguments.read("path")?;
    let path = path.filter(|it| !matches!(it.trim(), "" | "." | "./"));
    let answer = host.ask(Operation::Symbols, &SymbolsQuestion { query, path }).await.map_err(from_wire)?;
    note_completeness(Operation::Symbols, &invocation.notes, &answer.completeness);
    Ok(shown(answer.definitions))
}
