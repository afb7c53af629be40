//! `files`: which files there are.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};

use super::{Code, asking, plain};
use crate::FilesQuestion;
use crate::failure::of_wire;
use crate::memory::Memory;
use crate::remark::remark;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("files(glob)", asking(host, files))
}

async fn files(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let glob = invocation.arguments.text("glob")?.trim().to_owned();
    let answer = host.files(FilesQuestion { glob }).await.map_err(of_wire)?;
    remark(&invocation.notes, &answer);
    Ok(plain(&answer.paths))
}
