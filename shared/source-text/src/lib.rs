//! Places in texts, and their display: spans, lines, diagnostics, excerpts with carets.

#![warn(missing_docs)]

mod diagnostic;
mod excerpt;
mod line_index;
mod span;

pub use diagnostic::{Diagnostic, Severity};
pub use excerpt::excerpt;
pub use line_index::{Encoding, LineIndex};
pub use span::Span;
