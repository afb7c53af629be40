//! A document as text: front matter, prose, fences and blocks. Together they are every byte of it.

mod fence;
mod line;
mod prose;
mod scan;
mod tag;

use source_text::Span;

pub use fence::Fence;
pub(crate) use scan::scan;
pub use tag::{Attribute, BlockKind};

/// A part of a document. The parts of a document follow each other without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The mark U+FEFF at the very start.
    ByteOrderMark(Span),
    /// What stands between the first two lines `---`.
    FrontMatter {
        /// Both lines included.
        span: Span,
        /// The YAML alone.
        body: Span,
    },
    /// Markdown between the other parts.
    Prose(Span),
    /// A fence in the prose: text, whatever it says.
    Fence(Fence),
    /// `<define>` or `<example>`.
    Block(Block),
}

/// A `<define>` or an `<example>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it holds.
    pub kind: BlockKind,
    /// All of it, both tags included.
    pub span: Span,
    /// The line of its opening tag, with its line break.
    pub opener: Span,
    /// What stands in the opening tag behind its name.
    pub attributes: Vec<Attribute>,
    /// What stands between the tags, without gaps.
    pub parts: Vec<BlockPart>,
    /// The line of its closing tag; `None` when there is none.
    pub closer: Option<Span>,
}

/// A part of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockPart {
    /// All that a block without a fence holds.
    Code(Span),
    /// What stands between the fences of a block.
    Prose(Span),
    /// A fence: code or an attachment.
    Fence(Fence),
}

impl Part {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::ByteOrderMark(span) | Self::FrontMatter { span, .. } | Self::Prose(span) => *span,
            Self::Fence(fence) => fence.span,
            Self::Block(block) => block.span,
        }
    }
}

impl Part {
    /// Where the YAML stands, when this is front matter that ends.
    pub(crate) fn front_matter(&self) -> Option<Span> {
        match self {
            Self::FrontMatter { span, body } if body.end < span.end => Some(*body),
            _ => None,
        }
    }
}

impl BlockPart {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Code(span) | Self::Prose(span) => *span,
            Self::Fence(fence) => fence.span,
        }
    }
}

impl Block {
    /// The stretches that hold definitions or statements, in order.
    pub fn code(&self) -> impl Iterator<Item = Span> {
        self.parts.iter().filter_map(|part| match part {
            BlockPart::Code(span) => Some(*span),
            BlockPart::Fence(fence) => fence.is_code().then_some(fence.body),
            BlockPart::Prose(_) => None,
        })
    }

    /// The fences that hold something else: `output`, `json`.
    pub fn attachments(&self) -> impl Iterator<Item = &Fence> {
        self.parts.iter().filter_map(|part| match part {
            BlockPart::Fence(fence) if !fence.is_code() => Some(fence),
            _ => None,
        })
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|it| it.name == name)?.value.as_deref()
    }
}
