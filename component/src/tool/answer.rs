//! The answer of a tool call, independent of the transport.

use std::collections::BTreeMap;

use dialect::Candidate;
use source_text::visible;

/// The name of the MCP tool that runs programs.
pub(crate) const TOOL_NAME: &str = "ide_operation";

/// The answer of a tool call as text blocks. The first block holds nothing but the value or the message. No block holds
/// characters that hide or move a cursor: values spell them as escapes, and in words they are shown as such.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) blocks: Vec<String>,
    pub(crate) kind: Kind,
    /// The candidates of an ambiguity, all of them.
    pub(crate) candidates: Vec<Candidate>,
    /// The codes of the reasons in its notes, with `true` for those why it is incomplete. Text blocks have the words.
    pub(crate) reasons: BTreeMap<String, bool>,
}

/// The kind of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Success,
    Failure,
    Ambiguity,
}

impl Kind {
    /// Returns the name of the kind, for clients that tell outcomes apart by program.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Ambiguity => "ambiguity",
        }
    }
}

impl Answer {
    pub(crate) fn new(blocks: Vec<String>, kind: Kind) -> Self {
        let blocks = blocks.iter().map(|it| visible(it)).collect();
        Self { blocks, kind, candidates: Vec::new(), reasons: BTreeMap::new() }
    }

    pub(crate) fn failure(text: impl Into<String>) -> Self {
        Self::new(vec![text.into()], Kind::Failure)
    }

    /// Puts a line of text above the value, so that the block as a whole is not JSON.
    pub(crate) fn labelled(mut self) -> Self {
        if let (Kind::Success, Some(value)) = (self.kind, self.blocks.first_mut()) {
            value.insert_str(0, "The value is\n");
        }
        self
    }
}
