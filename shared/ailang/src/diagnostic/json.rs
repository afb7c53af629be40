//! Diagnostics as JSON.

use serde_json::{Value, json};
use source_text::{Encoding, LineIndex, Span};

use super::{Diagnostic, Fix, Related};

impl Diagnostic {
    /// Returns the diagnostic as JSON: `code`, `severity`, `message`, `location`, `suggestion`, `fixes` and
    /// `related`.
    ///
    /// Lines and columns of a location count from 1. Columns count characters, and the end is exclusive.
    /// `path` is the document's path, and `index` the line index of `text`, which is the document.
    pub fn to_json(&self, path: &str, text: &str, index: &LineIndex) -> Value {
        let at = |span| location(path, text, index, span);
        let mut value = json!({
            "code": self.code.to_string(),
            "severity": self.severity.name(),
            "message": self.message,
            "location": at(self.span),
        });
        if let Some(help) = &self.help {
            value["suggestion"] = json!(help);
        }
        if !self.fixes.is_empty() {
            let fix =
                |fix: &Fix| json!({"title": fix.title, "location": at(fix.span), "text": fix.replacement});
            value["fixes"] = self.fixes.iter().map(fix).collect();
        }
        if !self.related.is_empty() {
            let related = |related: &Related| match &related.path {
                Some(path) => json!({"message": related.message, "location": {"path": path}}),
                None => json!({"message": related.message, "location": at(related.span)}),
            };
            value["related"] = self.related.iter().map(related).collect();
        }
        value
    }
}

fn location(path: &str, text: &str, index: &LineIndex, span: Span) -> Value {
    let at = |offset| index.position(text, offset, Encoding::Utf32);
    let ((line, column), (end_line, end_column)) = (at(span.start), at(span.end));
    json!({
        "path": path,
        "line": line + 1,
        "column": column + 1,
        "endLine": end_line + 1,
        "endColumn": end_column + 1,
        "start": span.start,
        "end": span.end,
    })
}
