//! The answer of a tool call, independent of the transport.

/// The tool's name.
pub(crate) const TOOL_NAME: &str = "ide_operation";

/// The answer of a tool call as text blocks. The first block holds nothing but the value or the message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) blocks: Vec<String>,
    pub(crate) kind: Kind,
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
    pub(crate) fn failure(text: impl Into<String>) -> Self {
        Self { blocks: vec![text.into()], kind: Kind::Failure }
    }

    /// Puts a line of text above the value, so that the block as a whole is not JSON.
    pub(crate) fn labelled(mut self) -> Self {
        if let (Kind::Success, Some(value)) = (self.kind, self.blocks.first_mut()) {
            value.insert_str(0, "The value is\n");
        }
        self
    }
}
