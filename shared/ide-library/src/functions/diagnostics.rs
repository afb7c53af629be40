//! `diagnostics`: the errors and warnings in the code.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Diagnostic, DiagnosticsQuestion, Operation, Severity};

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::from_wire;
use crate::row::{Code, plain, with_host};
use crate::symbol::PlaceWithText;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("diagnostics(path?)", with_host(host, diagnostics))
}

async fn diagnostics(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let path: Option<String> = invocation.arguments.read("path")?;
    let path = path.map(|it| it.trim().to_owned()).filter(|it| !matches!(it.as_str(), "" | "." | "./"));
    let answer = host.ask(Operation::Diagnostics, &DiagnosticsQuestion { path }).await.map_err(from_wire)?;
    note_completeness(Operation::Diagnostics, &invocation.notes, &answer.completeness);
    Ok(plain(&answer.diagnostics))
}

/// Returns the place of a diagnostic, with its message as the text.
pub(crate) fn place_with_message(diagnostic: Diagnostic) -> PlaceWithText {
    let Diagnostic { severity, message, code, path, start, .. } = diagnostic;
    let severity = word(severity);
    let code = code.map(|it| format!("[{it}]")).unwrap_or_default();
    // One line each, because brief counts lines.
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let text = Some(format!("{severity}{code}: {message}"));
    PlaceWithText { path, line: start.line, column: Some(start.column), text, external: false }
}

/// Returns the severity in the text of such a place; `None` for other texts.
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
    use ide_protocol::{Column, Line, Point};

    use super::*;

    #[test]
    fn the_severity_is_read_as_it_is_written() {
        let start = Point { line: Line::FIRST, column: Column::FIRST };
        for severity in [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint] {
            for code in [None, Some("a::[b]".to_owned())] {
                let (message, path) = ("no\n  such".to_owned(), "a.rs".to_owned());
                let written = Diagnostic { severity, message, code, source: None, path, start, end: start };
                let text = place_with_message(written).text.unwrap();
                assert_eq!(severity_in(&text), Some(severity), "{text}");
            }
        }
        for text in ["error!(\"no\");", "errors: 3", "hint[0]", "let x = 1; // error: no"] {
            assert_eq!(severity_in(text), None, "{text}");
        }
    }
}
