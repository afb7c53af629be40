//! Places in text that we parse, and how to show them: spans, lines, diagnostics, excerpts with carets.

mod line_index;
mod span;

pub use line_index::{Encoding, LineIndex};
pub use span::Span;
