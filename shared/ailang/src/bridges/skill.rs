//! Agent Skills: a folder with a `SKILL.md`, whose front matter has `name` and `description`.
//!
//! The body of a skill is Markdown, so it holds a document as it is. A large one moves to a file of its own,
//! which the skill names, because agents read the whole `SKILL.md`.

mod export;
mod header;
mod import;

pub(super) use export::export;
pub(super) use import::import;

use crate::split::Part;
use crate::trust::plain;

/// The maximum length of a skill's name, in characters.
const LONGEST_NAME: usize = 64;

/// The maximum length of a skill's description, in characters.
const LONGEST_DESCRIPTION: usize = 1_024;

/// The key of `metadata` that marks an export of ours.
const MARK: &str = "ailang-version";

fn is_body(part: &Part) -> bool {
    !matches!(part, Part::FrontMatter { .. } | Part::ByteOrderMark(_))
}

/// Returns a text as a scalar of YAML, truncated.
fn quoted(text: &str, most: usize) -> String {
    serde_json::Value::from(plain(text, most)).to_string()
}
