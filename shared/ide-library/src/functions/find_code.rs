//! `findCode`: what code is written like a pattern.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};

use super::{Code, asking, plain};
use crate::MatchesQuestion;
use crate::failure::of_wire;
use crate::memory::Memory;
use crate::remark::remark;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("findCode(pattern, path?, language?)", asking(host, find_code))
}

async fn find_code(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let arguments = &invocation.arguments;
    let pattern = arguments.text("pattern")?.trim().to_owned();
    let path: Option<String> = arguments.read("path")?;
    let path = path.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).unwrap_or_else(|| ".".into());
    let language: Option<String> = arguments.read("language")?;
    let question = MatchesQuestion { pattern, path, language };
    let answer = host.matches(question).await.map_err(of_wire)?;
    remark(&invocation.notes, &answer);
    Ok(plain(&answer.matches))
}
