//! Examples: programs with what they print.

use source_text::Span;

use crate::diagnostic::Diagnostics;
use crate::parse::{Content, parse};
use crate::split::{Attribute, Block, Fence};
use crate::syntax::Program;

/// An `<example>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// `id`, `tool`, `title`, `description`, `level`.
    pub attributes: Vec<Attribute>,
    /// Where its code stands.
    pub code: Vec<Span>,
    /// What its code says: all of it is one program.
    pub program: Program,
    /// What it comes with: its output, data.
    pub attachments: Vec<Attachment>,
    /// All of it, both tags included.
    pub span: Span,
}

/// A fence that holds no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The word behind the fence: `output`, `json`.
    pub kind: String,
    /// Where its content stands.
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

    /// The attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// What it is called.
    pub fn id(&self) -> Option<&str> {
        self.attribute("id")?.value.as_deref()
    }

    /// The tool that it says that it is about.
    pub fn tool(&self) -> Option<&str> {
        self.attribute("tool")?.value.as_deref()
    }
}
