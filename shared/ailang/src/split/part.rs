//! The parts of documents and of blocks.

use source_text::Span;

use super::fence::Fence;
use super::tag::{Attribute, BlockKind};

/// A part of a document. Parts follow each other without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The byte order mark U+FEFF at the start.
    ByteOrderMark(Span),
    /// The front matter.
    FrontMatter {
        /// The YAML with both lines `---`.
        span: Span,
        /// The YAML alone.
        body: Span,
    },
    /// Markdown between the other parts.
    Prose(Span),
    /// A fence in the prose, whatever it contains.
    Fence(Fence),
    /// A `<define>` or an `<example>`.
    Block(Block),
}

/// A `<define>` or an `<example>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The kind of content.
    pub kind: BlockKind,
    /// The whole block, both tags included.
    pub span: Span,
    /// The line of the opening tag, with its line break.
    pub opener: Span,
    /// The attributes of the opening tag.
    pub attributes: Vec<Attribute>,
    /// The content between the tags, without gaps.
    pub parts: Vec<BlockPart>,
    /// The line of the closing tag; `None` if it is missing.
    pub closer: Option<Span>,
}

/// A part of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockPart {
    /// The content of a block without a fence.
    Code(Span),
    /// The text between the fences of a block.
    Prose(Span),
    /// A fence with code or an attachment.
    Fence(Fence),
}

impl Part {
    /// Returns the place of the part.
    pub fn span(&self) -> Span {
        match self {
            Self::ByteOrderMark(span) | Self::FrontMatter { span, .. } | Self::Prose(span) => *span,
            Self::Fence(fence) => fence.span,
            Self::Block(block) => block.span,
        }
    }
}

impl Part {
    /// Returns the place of the YAML, for terminated front matter.
    pub fn front_matter(&self) -> Option<Span> {
        match self {
            Self::FrontMatter { span, body } if body.end < span.end => Some(*body),
            _ => None,
        }
    }
}

impl BlockPart {
    /// Returns the place of the part.
    pub fn span(&self) -> Span {
        match self {
            Self::Code(span) | Self::Prose(span) => *span,
            Self::Fence(fence) => fence.span,
        }
    }
}

impl Block {
    /// Returns the stretches with definitions or statements, in order.
    pub fn code(&self) -> impl Iterator<Item = Span> {
        self.parts.iter().filter_map(|part| match part {
            BlockPart::Code(span) => Some(*span),
            BlockPart::Fence(fence) => fence.is_code().then_some(fence.body),
            BlockPart::Prose(_) => None,
        })
    }

    /// Returns the fences with other content: `output`, `json`.
    pub fn attachments(&self) -> impl Iterator<Item = &Fence> {
        self.parts.iter().filter_map(|part| match part {
            BlockPart::Fence(fence) if !fence.is_code() => Some(fence),
            _ => None,
        })
    }

    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|it| it.name == name)?.value.as_deref()
    }
}
