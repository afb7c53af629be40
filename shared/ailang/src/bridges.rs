//! Bridges to other formats: Agent Skills, tools of MCP, OpenAPI, JSON Schema.
//!
//! A bridge says what it could not carry over. Words of other authors are data here: they lose invisible
//! characters, are truncated, and can neither open blocks nor set tags.

mod definitions;
mod document;
mod draft;
mod identifier;
mod json_schema;
mod mcp;
mod node;
mod openapi;
mod read;
mod remark;
mod skill;
mod words;

use std::fmt;

pub use document::{Exported, ExportedFile, export};
pub use remark::{Remark, RemarkKind};
use serde_json::Value;

use crate::limits::LARGEST_DOCUMENT;

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
    /// What is not the same as in the original.
    pub remarks: Vec<Remark>,
}

/// A text that is no document of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError(String);

impl std::error::Error for ImportError {}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Converts a `SKILL.md` to a document. `file` returns the text of another file of the skill, by its path in the
/// folder of the skill: exports of large documents have the document in one.
///
/// # Errors
/// When it has no front matter with a name and a description, or is too large.
pub fn import_skill(source: &str, file: impl Fn(&str) -> Option<String>) -> Result<Imported, ImportError> {
    skill::import(source, file)
}

/// Converts the JSON of a format to a document. Names that are no identifiers are renamed, and
/// whatever has no counterpart is widened; the remarks name both.
///
/// # Errors
/// When the value is not of that format, or its document would be too large.
pub fn import(value: &Value, format: Foreign) -> Result<Imported, ImportError> {
    let draft = match format {
        Foreign::Skill => return Err(ImportError("a skill is Markdown, not JSON".to_owned())),
        Foreign::Mcp => mcp::import(value)?,
        Foreign::OpenApi => openapi::import(value)?,
        Foreign::JsonSchema => json_schema::import(value)?,
    };
    let imported = draft.finished();
    if imported.text.len() > LARGEST_DOCUMENT {
        let message = format!("its document would have more than {LARGEST_DOCUMENT} bytes; split it first");
        return Err(ImportError(message));
    }
    Ok(imported)
}
