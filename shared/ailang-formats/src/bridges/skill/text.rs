//! Limits and texts of skills, for both directions.

use ailang::plain;
use ailang::split::Part;

/// The maximum length of a skill's name, in characters.
pub(super) const LONGEST_NAME: usize = 64;

/// The maximum length of a skill's description, in characters.
pub(super) const LONGEST_DESCRIPTION: usize = 1_024;

/// The key of `metadata` that marks an export of ours.
pub(super) const MARK: &str = "ailang-version";

pub(super) fn is_body(part: &Part) -> bool {
    !matches!(part, Part::FrontMatter { .. } | Part::ByteOrderMark(_))
}

/// Returns a text as a scalar of YAML, truncated.
pub(super) fn quoted(text: &str, most: usize) -> String {
    serde_json::Value::from(plain(text, most)).to_string()
}
