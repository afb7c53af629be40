//! `findSymbols`: which symbols have a name like this.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};

use super::find_definitions::shown;
use super::{Code, asking};
use crate::SymbolsQuestion;
use crate::failure::of_wire;
use crate::memory::Memory;
use crate::remark::remark;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("findSymbols(query, path?)", asking(host, find_symbols))
}

async fn find_symbols(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let query = invocation.arguments.text("query")?.trim().to_owned();
    let path: Option<String> = invocation.arguments.read("path")?;
    let path = path.filter(|it| !matches!(it.trim(), "" | "." | "./"));
    let answer = host.symbols(SymbolsQuestion { query, path }).await.map_err(of_wire)?;
    remark(&invocation.notes, &answer);
    Ok(shown(answer.definitions))
}
