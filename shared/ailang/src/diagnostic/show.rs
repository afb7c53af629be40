//! Diagnostics as text.

use source_text::{Encoding, LineIndex, Span, excerpt};

use super::{Diagnostic, Related};

impl Diagnostic {
    /// Renders the diagnostic for a terminal: severity, code, message, place, excerpt with carets, help,
    /// related places.
    ///
    /// Lines and columns count from 1, and columns count characters. `path` is the document's path, and
    /// `index` the line index of `text`, which is the document.
    pub fn show(&self, path: &str, text: &str, index: &LineIndex) -> String {
        let severity = self.severity.name();
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
