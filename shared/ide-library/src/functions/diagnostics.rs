//! `diagnostics`: what is wrong with the code.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Diagnostic, Severity};

use super::{Code, asking, plain};
use crate::DiagnosticsQuestion;
use crate::failure::of_wire;
use crate::memory::Memory;
use crate::remark::remark;
use crate::symbol::Sight;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("diagnostics(path?)", asking(host, diagnostics))
}

async fn diagnostics(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let path: Option<String> = invocation.arguments.read("path")?;
    let path = path.map(|it| it.trim().to_owned()).filter(|it| !matches!(it.as_str(), "" | "." | "./"));
    let answer = host.diagnostics(DiagnosticsQuestion { path }).await.map_err(of_wire)?;
    remark(&invocation.notes, &answer);
    Ok(plain(&answer.diagnostics))
}

/// Where it is, with what is wrong in the place of the line.
pub(crate) fn sight(diagnostic: Diagnostic) -> Sight {
    let Diagnostic { severity, message, code, path, start, .. } = diagnostic;
    let severity = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    };
    let code = code.map(|it| format!("[{it}]")).unwrap_or_default();
    // A line each: what brief prints is counted by lines.
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let text = Some(format!("{severity}{code}: {message}"));
    Sight { path, line: start.line, column: Some(start.column), text, external: false }
}
