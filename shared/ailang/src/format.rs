//! The canonical layout of documents.
//!
//! Front matter is sorted, tags stand alone on their lines, fences are `typescript`, and code is wrapped.
//! Prose and comments stay unchanged.

mod code;
mod definition;
mod equivalence;
mod fields;
mod markdown;
mod page;
mod piece;
mod tree;

use crate::Document;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::limits::LARGEST_DOCUMENT;

/// A document that cannot be laid out because it cannot be parsed.
#[derive(Clone, Debug)]
pub struct FormatError {
    /// The mistakes that prevent it, in the order of the document; at least one.
    pub diagnostics: Vec<Diagnostic>,
}

/// Returns a document in its canonical layout, with the same definitions, programs, prose and comments. A
/// formatted document stays unchanged.
///
/// # Errors
/// When the structure, the YAML or the code cannot be parsed. Mistakes of meaning do not matter.
pub fn format(source: &str) -> Result<String, FormatError> {
    let document = Document::parse(source);
    let diagnostics: Vec<Diagnostic> =
        document.diagnostics.iter().filter(|it| prevents(it)).cloned().collect();
    if !diagnostics.is_empty() {
        return Err(FormatError { diagnostics });
    }
    let formatted = markdown::laid_out(&document);
    // Verify the promise: if the layout would parse differently, keep the source.
    let holds = formatted.len() <= LARGEST_DOCUMENT
        && equivalence::documents(&document, &Document::parse(formatted.as_str()));
    Ok(if holds { formatted } else { document.source })
}

/// Returns `true` if a mistake prevents parsing, rather than being one of meaning.
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
