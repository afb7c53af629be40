//! Places in texts, and their display: spans, lines, diagnostics, excerpts with carets, escapes of what hides.

#![warn(missing_docs)]

mod diagnostic;
mod excerpt;
mod line_index;
mod lone_return;
mod span;
mod visible;

pub use diagnostic::{Diagnostic, Severity};
pub use excerpt::excerpt;
pub use line_index::{Encoding, LineIndex};
pub use lone_return::{feed_lone_returns, has_lone_return};
pub use span::Span;
pub use visible::{from_visible_line, is_hidden, is_visible, visible, visible_json, visible_line};
