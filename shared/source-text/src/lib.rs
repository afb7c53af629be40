//! Places in texts, and their display: spans, lines, diagnostics, excerpts with carets, shortened texts, escapes of what
//! hides. Names of files, as file systems compare them.

#![warn(missing_docs)]

mod diagnostic;
mod excerpt;
mod file_name;
mod line_diff;
mod line_index;
mod lone_return;
mod shorten;
mod span;
mod visible;

pub use diagnostic::{Diagnostic, Severity};
pub use excerpt::excerpt;
pub use file_name::{VERSION_CONTROL, folded_name, is_of_version_control, linked_git_folder};
pub use line_diff::{Hunk, hunks};
pub use line_index::{Encoding, LineIndex};
pub use lone_return::{feed_lone_returns, has_lone_return};
pub use shorten::{shorten, shorten_with_size};
pub use span::Span;
pub use visible::{from_visible_line, is_hidden, is_visible, visible, visible_json, visible_line};
