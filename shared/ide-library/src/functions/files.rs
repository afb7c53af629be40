//! `files`: the files that match a glob.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{FilesQuestion, Operation};

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::from_wire;
use crate::row::{Code, plain, with_host};

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("files(glob)", with_host(host, files))
}

async fn files(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let glob = invocation.arguments.text("glob")?.trim().to_owned();
    let answer = host.ask(Operation::Files, &FilesQuestion { glob }).await.map_err(from_wire)?;
    note_completeness(Operation::Files, &invocation.notes, &answer.completeness);
    Ok(plain(&answer.paths))
}
