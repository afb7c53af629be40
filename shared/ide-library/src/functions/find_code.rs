//! `findCode`: the code that matches a pattern.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{MatchesQuestion, Operation};

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::from_wire;
use crate::row::{Code, plain, with_host};

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("findCode(pattern, path?, language?)", with_host(host, find_code))
}

async fn find_code(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let arguments = &invocation.arguments;
    let pattern = arguments.text("pattern")?.trim().to_owned();
    let path: Option<String> = arguments.read("path")?;
    let path = path.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).unwrap_or_else(|| ".".into());
    let language: Option<String> = arguments.read("language")?;
    let question = MatchesQuestion { pattern, path, language };
    let answer = host.ask(Operation::Matches, &question).await.map_err(from_wire)?;
    note_completeness(Operation::Matches, &invocation.notes, &answer.completeness);
    Ok(plain(&answer.matches))
}
