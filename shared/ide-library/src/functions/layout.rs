//! `format` and `organizeImports`: the edits that format a file or organize its imports.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{FormatQuestion, Operation, OrganizeImportsQuestion};

use super::code_actions::only;
use super::file_part::{DefinitionPart, FilePart};
use crate::cached_host::CachedHost;
use crate::failure::from_wire;
use crate::row::{Code, with_host};

pub(crate) fn codes(host: &Arc<CachedHost>) -> Vec<Code> {
    vec![
        Implementation::of("format(place)", with_host(host, format)),
        Implementation::of("organizeImports(path)", with_host(host, organize_imports)),
    ]
}

async fn format(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let FilePart { path, start, end } =
        FilePart::read(&host, &invocation, "place", DefinitionPart::All).await?;
    let answer =
        host.ask(Operation::Format, &FormatQuestion { path, start, end }).await.map_err(from_wire)?;
    only(Operation::Format, &invocation, answer)
}

async fn organize_imports(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let path = invocation.arguments.text("path")?.trim().to_owned();
    let answer =
        host.ask(Operation::OrganizeImports, &OrganizeImportsQuestion { path }).await.map_err(from_wire)?;
    only(Operation::OrganizeImports, &invocation, answer)
}
