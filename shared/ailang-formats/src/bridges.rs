//! Bridges to other formats: Agent Skills, tools of MCP, OpenAPI, JSON Schema.
//!
//! A bridge says what it could not carry over. Words of other authors are data here: they lose invisible
//! characters, are truncated, and can neither open blocks nor set tags.

mod definitions;
mod document;
mod draft;
mod format;
mod identifier;
mod json_schema;
mod mcp;
mod node;
mod openapi;
mod read;
mod remark;
mod skill;
mod words;

use ailang::lower::Lowering;
use ailang::names::SymbolTable;
use ailang::{Documents, LARGEST_DOCUMENT};
pub use document::{Exported, ExportedFile};
pub use format::{Foreign, ImportError, Imported};
pub use remark::{Remark, RemarkKind};
use serde_json::Value;

use self::definitions::SchemaWriter;
use self::document::id;

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

/// Converts the document at `path` to another format; `None` without such a document.
///
/// The document has to be valid; parts with errors are left out or widened.
pub fn export(documents: &Documents, path: &str, format: Foreign) -> Option<Exported> {
    let home = documents.index_of(path)?;
    if format == Foreign::Skill {
        return skill::export(documents.at(home)?.1);
    }
    let table = SymbolTable::new(documents);
    let mut lowering = Lowering::new(&table);
    let others = documents.at(home)?.1.definitions().filter(|it| !it.is_plain_type());
    lowering.keep_names_of_data(others.map(|it| it.name.text.clone()));
    let start = if format == Foreign::OpenApi { "#/components/schemas/" } else { "#/$defs/" };
    let mut writer = SchemaWriter::new(lowering, documents, home, start)?;
    let value = match format {
        Foreign::Mcp => mcp::export(&mut writer),
        Foreign::OpenApi => openapi::export(&mut writer),
        _ => json_schema::export(&mut writer),
    };
    let id = id(&writer.document.front_matter);
    let file = ExportedFile { path: format!("{id}.json"), text: format!("{value:#}\n") };
    Some(Exported { files: vec![file], remarks: writer.into_remarks() })
}
