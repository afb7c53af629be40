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
    let severity = word(severity);
    let code = code.map(|it| format!("[{it}]")).unwrap_or_default();
    // A line each: what brief prints is counted by lines.
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let text = Some(format!("{severity}{code}: {message}"));
    Sight { path, line: start.line, column: Some(start.column), text, external: false }
}

/// How bad it is what the text of such a place says; `None` where it reads like anything else.
pub(crate) fn severity_in(text: &str) -> Option<Severity> {
    let severities = [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint];
    severities.into_iter().find(|it| {
        let rest = text.strip_prefix(word(*it));
        rest.is_some_and(|it| it.starts_with(": ") || it.starts_with('[') && it.contains("]: "))
    })
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ide_protocol::{Column, Line, Point};

    #[test]
    fn the_severity_is_read_as_it_is_written() {
        let start = Point { line: Line::FIRST, column: Column::FIRST };
        for severity in [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint] {
            for code in [None, Some("a::[b]".to_owned())] {
                let (message, path) = ("no\n  such".to_owned(), "a.rs".to_owned());
                let written = Diagnostic { severity, message, code, source: None, path, start, end: start };
                let text = sight(written).text.unwrap();
                assert_eq!(severity_in(&text), Some(severity), "{text}");
            }
        }
        for text in ["error!(\"no\");", "errors: 3", "hint[0]", "let x = 1; // error: no"] {
            assert_eq!(severity_in(text), None, "{text}");
        }
    }
}
