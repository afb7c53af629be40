//! Documents: the parsed text, and the mistakes in it.

mod example;

pub use example::{Attachment, Example};
use source_text::Span;

use crate::Diagnostic;
use crate::diagnostic::{Code, Diagnostics};
use crate::front_matter::{FrontMatter, read};
use crate::limits::LARGEST_DOCUMENT;
use crate::parse::{Content, parse};
use crate::split::{Block, BlockKind, Part, scan};
use crate::syntax::{Definition, DefinitionKind, Import, Item, MemberKind, Program, Tool, TypeKind};

/// A parsed document. Parsing never fails: mistakes become diagnostics, and everything readable is kept.
#[derive(Clone, Debug)]
pub struct Document {
    /// The text.
    pub source: String,
    /// The parts of the text, without gaps.
    pub parts: Vec<Part>,
    /// The front matter.
    pub front_matter: FrontMatter,
    /// The contents of all `<define>`s.
    pub definitions: Program,
    /// The `<example>`s.
    pub examples: Vec<Example>,
    /// The mistakes of syntax. [`validate`](fn@crate::validate) finds those of meaning.
    pub diagnostics: Vec<Diagnostic>,
}

impl Document {
    /// Parses a document.
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
                // The intended end is unknown, so the rest may be no code. The missing tag is reported already.
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

    /// Returns `true` for an interface document, which has front matter or blocks, and `false` for other Markdown.
    pub fn is_interface(&self) -> bool {
        let has_front_matter = self.parts.iter().any(|part| matches!(part, Part::FrontMatter { .. }));
        has_front_matter || self.blocks().next().is_some()
    }

    /// Returns the blocks, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        blocks(&self.parts)
    }

    /// Returns the definitions of all `<define>`s, in order.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.definitions()
    }

    /// Returns the imports of all `<define>`s, in order.
    pub fn imports(&self) -> impl Iterator<Item = &Import> {
        self.definitions.imports()
    }

    /// Returns the tool that makes values of a type with methods: it has the tag `@constructor`, and that type as its
    /// result. `None` for any other definition.
    pub fn constructor(&self, definition: &Definition) -> Option<(&Definition, &Tool)> {
        let DefinitionKind::Type(it) = &definition.kind else { return None };
        let TypeKind::Struct(members) = &it.ty.kind else { return None };
        if !members.iter().any(|it| matches!(it.kind, MemberKind::Method { .. })) {
            return None;
        }
        let name = &definition.name.text;
        self.definitions().find_map(|it| {
            let DefinitionKind::Tool(tool) = &it.kind else { return None };
            let returns = tool.returns.as_ref()?;
            let TypeKind::Named { path, .. } = &returns.kind else { return None };
            let makes = path.qualifiers.is_empty() && path.name.text == *name;
            (makes && it.documentation.tag("constructor").is_some()).then_some((it, tool))
        })
    }

    /// Returns the text of a place.
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
    /// Returns the definitions at the top level.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.items.iter().filter_map(|item| match item {
            Item::Definition(definition) => Some(definition),
            _ => None,
        })
    }

    /// Returns the imports at the top level.
    pub fn imports(&self) -> impl Iterator<Item = &Import> {
        self.items.iter().filter_map(|item| match item {
            Item::Import(import) => Some(import),
            _ => None,
        })
    }
}
