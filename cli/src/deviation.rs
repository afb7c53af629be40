//! A deviation from a protocol, as the commands that check programs of others report it.

use serde::Serialize;
use source_text::shorten_with_size;

/// The characters of a message that a report shows.
const SHOWN: usize = 200;

/// A deviation: what was sent, what came, and what was expected.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Deviation {
    pub(crate) sent: String,
    pub(crate) came: String,
    pub(crate) expected: String,
}

/// Shortens a message for a report.
pub(crate) fn shown(text: &str) -> String {
    shorten_with_size(text, SHOWN).into_owned()
}
