//! The canonical layout of documents: front matter in order, tags alone on their lines, fences `typescript`, code in
//! lines that fit. Prose stays as it is, and so does every comment.

mod code;
mod definition;
mod fields;
mod markdown;
mod page;
mod piece;
mod same;
mod tree;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::{Document, LARGEST_DOCUMENT};

/// A document that cannot be laid out, because it cannot be read.
#[derive(Clone, Debug)]
pub struct Unformatted {
    /// What stands in the way, in the order of the document; at least one.
    pub diagnostics: Vec<Diagnostic>,
}

/// A document in its canonical layout: the same definitions and programs, the same prose, every comment once. What
/// was laid out stays as it is.
///
/// # Errors
/// When its structure, its YAML or its code cannot be read. Whether the document makes sense does not matter.
pub fn format(source: &str) -> Result<String, Unformatted> {
    let document = Document::parse(source);
    let diagnostics: Vec<Diagnostic> =
        document.diagnostics.iter().filter(|it| prevents(it)).cloned().collect();
    if !diagnostics.is_empty() {
        return Err(Unformatted { diagnostics });
    }
    let formatted = markdown::laid_out(&document);
    // The promise is worth a second look: a layout that reads differently is none.
    let holds = formatted.len() <= LARGEST_DOCUMENT
        && same::documents(&document, &Document::parse(formatted.as_str()));
    Ok(if holds { formatted } else { document.source })
}

/// Whether what is wrong is that something could not be read, rather than what it says.
fn prevents(diagnostic: &Diagnostic) -> bool {
    let code = diagnostic.code;
    let is_read = code == Code::MISSING_FRONT_MATTER
        || code == Code::DEFINITION_OUTSIDE_FENCE
        || code == Code::DUPLICATE_ATTRIBUTE
        || (Code::MISSING_FIELD..=Code::MISSING_SIZE_HINTS).contains(&code)
            && code != Code::FRONT_MATTER_TOO_LARGE
        || code >= Code::UNKNOWN_TYPE;
    diagnostic.severity == Severity::Error && !is_read
}
