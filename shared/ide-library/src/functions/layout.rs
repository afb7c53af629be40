//! `format` and `organizeImports`: what laying out a file, or putting its imports in order, would change.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::Operation;

use super::code_actions::only;
use super::stretch::{Stretch, Within};
use super::{Code, asking};
use crate::failure::of_wire;
use crate::memory::Memory;
use crate::{FormatQuestion, OrganizeImportsQuestion};

pub(crate) fn codes(host: &Arc<Memory>) -> Vec<Code> {
    vec![
        Implementation::of("format(place)", asking(host, format)),
        Implementation::of("organizeImports(path)", asking(host, organize_imports)),
    ]
}

async fn format(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let Stretch { path, start, end } = Stretch::read(&host, &invocation, "place", Within::All).await?;
    let answer = host.format(FormatQuestion { path, start, end }).await.map_err(of_wire)?;
    only(Operation::Format, &invocation, answer)
}

async fn organize_imports(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let path = invocation.arguments.text("path")?.trim().to_owned();
    let answer = host.organize_imports(OrganizeImportsQuestion { path }).await.map_err(of_wire)?;
    only(Operation::OrganizeImports, &invocation, answer)
}
