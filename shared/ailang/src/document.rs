//! A document: what its text says, and what is wrong with how it says it.

mod example;

use source_text::Span;

pub use example::{Attachment, Example};

use crate::Diagnostic;
use crate::diagnostic::{Code, Diagnostics};
use crate::front_matter::{FrontMatter, read};
use crate::parse::{Content, parse};
use crate::split::{Block, BlockKind, Part, scan};
use crate::syntax::{Definition, Import, Item, Program};

/// The most bytes that a document may have.
pub const LARGEST_DOCUMENT: usize = 4 << 20;

/// A document that was read. Reading never fails: what is wrong is among the diagnostics, and the rest is there.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its text.
    pub source: String,
    /// The parts of its text, without gaps.
    pub parts: Vec<Part>,
    /// What it says about itself.
    pub front_matter: FrontMatter,
    /// Everything that its `<define>`s say.
    pub definitions: Program,
    /// Its `<example>`s.
    pub examples: Vec<Example>,
    /// What is wrong with how it is written; whether it makes sense is asked by
    /// the rules.
    pub diagnostics: Vec<Diagnostic>,
}

impl Document {
    /// Reads a document.
    pub fn parse(source: impl Into<String>) -> Self {
        let source = source.into();
        let mut diagnostics = Diagnostics::default();
        if source.len() > LARGEST_DOCUMENT {
            return Self::too_large(source);
        }
        let parts = scan(&source, &mut diagnostics);
        let body = parts.iter().find_map(Part::front_matter);
        let front_matter =
            body.map_or_else(FrontMatter::default, |body| read(&source, body, &mut diagnostics));
        let mut definitions = Program::default();
        let mut examples = Vec::new();
        for block in blocks(&parts) {
            let reported = diagnostics.len();
            match block.kind {
                BlockKind::Define => {
                    for stretch in block.code() {
                        parse(&source, stretch, Content::Definitions, &mut definitions, &mut diagnostics);
                    }
                }
                BlockKind::Example => examples.push(Example::read(&source, block, &mut diagnostics)),
            }
            if block.closer.is_none() {
                // Where it was meant to end is not known, so what looks like code may be none; that has been said.
                diagnostics.truncate(reported);
            }
        }
        Self { parts, front_matter, definitions, examples, diagnostics: diagnostics.into_sorted(), source }
    }

    fn too_large(source: String) -> Self {
        let mut diagnostics = Diagnostics::default();
        let message = format!("the document has {} bytes", source.len());
        diagnostics
            .error(Code::DOCUMENT_TOO_LARGE, Span::default(), message)
            .help(format!("split it: {LARGEST_DOCUMENT} bytes are read at most"));
        let (definitions, examples) = (Program::default(), Vec::new());
        let parts = vec![Part::Prose(Span::new(0, source.len()))];
        let front_matter = FrontMatter::default();
        Self { parts, front_matter, definitions, examples, diagnostics: diagnostics.into_sorted(), source }
    }

    /// Its blocks, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        blocks(&self.parts)
    }

    /// What its `<define>`s define, in order.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.definitions()
    }

    /// What its `<define>`s import, in order.
    pub fn imports(&self) -> impl Iterator<Item = &Import> {
        self.definitions.imports()
    }

    /// The text of a place.
    pub fn text(&self, span: Span) -> &str {
        &self.source[span.range()]
    }
}

fn blocks(parts: &[Part]) -> impl Iterator<Item = &Block> {
    parts.iter().filter_map(|part| match part {
        Part::Block(block) => Some(block),
        _ => None,
    })
}

impl Program {
    /// The definitions that do not stand in a body.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.items.iter().filter_map(|item| match item {
            Item::Definition(definition) => Some(definition),
            _ => None,
        })
    }

    /// The imports that do not stand in a body.
    pub fn imports(&self) -> impl Iterator<Item = &Import> {
        self.items.iter().filter_map(|item| match item {
            Item::Import(import) => Some(import),
            _ => None,
        })
    }
}
