//! A diagnostic in words.

use source_text::{Encoding, LineIndex, Severity, Span, excerpt};

use super::{Diagnostic, Related};

impl Diagnostic {
    /// The diagnostic in words: how bad it is, its code, what is wrong, the place (line and column from 1, the
    /// column in characters), the line with carets under it, the help, and the other places.
    ///
    /// `path` is what the document is called; `index` is of `text`, which is the document.
    pub fn show(&self, path: &str, text: &str, index: &LineIndex) -> String {
        let severity = severity(self.severity);
        let mut shown = format!("{severity}[{}]: {}\n", self.code, self.message);
        shown.push_str(&place(path, text, index, self.span));
        for related in &self.related {
            shown.push_str(&show_related(related, path, text, index));
        }
        if let Some(help) = &self.help {
            shown.push_str(&format!("\nhelp: {help}"));
        }
        shown
    }
}

fn show_related(related: &Related, path: &str, text: &str, index: &LineIndex) -> String {
    match &related.path {
        Some(other) => format!("\nnote: {}\n  --> {other}", related.message),
        None => format!("\nnote: {}\n{}", related.message, place(path, text, index, related.span)),
    }
}

fn place(path: &str, text: &str, index: &LineIndex, span: Span) -> String {
    let (line, column) = index.position(text, span.start, Encoding::Utf32);
    format!("  --> {path}:{}:{}\n{}", line + 1, column + 1, excerpt(text, index, span))
}

/// The word for it.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
