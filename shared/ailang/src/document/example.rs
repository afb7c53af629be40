//! Examples: programs with their output.

use source_text::Span;

use crate::diagnostic::Diagnostics;
use crate::parse::{Content, parse};
use crate::split::{Attribute, Block, Fence};
use crate::syntax::Program;

/// An `<example>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The attributes of the tag: `id`, `tool`, `title`, `description`, `level`.
    pub attributes: Vec<Attribute>,
    /// The places of the code.
    pub code: Vec<Span>,
    /// The code, all of it as one program.
    pub program: Program,
    /// The attachments: output, data.
    pub attachments: Vec<Attachment>,
    /// The whole block, both tags included.
    pub span: Span,
}

/// A fence that holds no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The word behind the fence: `output`, `json`.
    pub kind: String,
    /// The place of the content.
    pub body: Span,
}

impl Example {
    pub(super) fn read(source: &str, block: &Block, diagnostics: &mut Diagnostics) -> Self {
        let code: Vec<Span> = block.code().collect();
        let mut program = Program::default();
        for stretch in &code {
            parse(source, *stretch, Content::Statements, &mut program, diagnostics);
        }
        let attachment = |fence: &Fence| Attachment { kind: fence.info.clone(), body: fence.body };
        Self {
            attributes: block.attributes.clone(),
            code,
            program,
            attachments: block.attachments().map(attachment).collect(),
            span: block.span,
        }
    }

    /// Returns the attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Returns the value of the attribute `id`.
    pub fn id(&self) -> Option<&str> {
        self.attribute("id")?.value.as_deref()
    }

    /// Returns the value of the attribute `tool`: the tool that it demonstrates.
    pub fn tool(&self) -> Option<&str> {
        self.attribute("tool")?.value.as_deref()
    }
}
