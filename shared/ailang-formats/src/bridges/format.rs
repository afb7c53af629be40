//! The formats, and what importing them gives.

use std::fmt;

use super::remark::Remark;

/// A format that documents are converted to and from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Foreign {
    /// A folder with a `SKILL.md`, by the specification of Agent Skills (agentskills.io).
    Skill,
    /// The result of `tools/list` in the Model Context Protocol.
    Mcp,
    /// OpenAPI 3.1; 3.0 is read too.
    OpenApi,
    /// JSON Schema 2020-12.
    JsonSchema,
}

impl Foreign {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Skill, Self::Mcp, Self::OpenApi, Self::JsonSchema];

    /// Returns the format as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Mcp => "mcp",
            Self::OpenApi => "openapi",
            Self::JsonSchema => "json-schema",
        }
    }

    /// Parses the name of a format.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == text)
    }
}

/// A document of another format, as an interface document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The text: valid under normal strictness, in the canonical layout.
    pub text: String,
    /// The differences from the original.
    pub remarks: Vec<Remark>,
}

/// A text that is no document of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError(pub(super) String);

impl std::error::Error for ImportError {}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
