//! Layout of the parts of a document.

use super::code::code;
use super::fields::fields;
use crate::Document;
use crate::parse::Content;
use crate::split::{Attribute, Block, BlockKind, BlockPart, Fence, Part};

/// Lays out a document.
pub(super) fn laid_out(document: &Document) -> String {
    let mut writer =
        Writer { document, text: String::new(), line_end: line_end(&document.source), behind_tag: false };
    for part in &document.parts {
        match part {
            Part::FrontMatter { span, body } => writer.front_matter(*span, *body),
            Part::Block(block) => writer.block(block),
            Part::ByteOrderMark(span) | Part::Prose(span) => writer.verbatim(document.text(*span)),
            Part::Fence(fence) => writer.verbatim(document.text(fence.span)),
        }
    }
    writer.text
}

/// Returns the line break that ends the first line.
fn line_end(source: &str) -> &'static str {
    match source.find(['\n', '\r']) {
        Some(at) if source[at..].starts_with("\r\n") => "\r\n",
        Some(at) if source[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

struct Writer<'document> {
    document: &'document Document,
    text: String,
    line_end: &'static str,
    /// `true` behind a closing tag, which an empty line has to follow.
    behind_tag: bool,
}

impl<'document> Writer<'document> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str(self.line_end);
    }

    /// Ends the line, and adds an empty one if there is none.
    fn empty_line(&mut self) {
        if self.text.is_empty() || self.text == "\u{feff}" {
            return;
        }
        if !self.text.ends_with(['\n', '\r']) {
            self.line("");
        }
        let before = self.text.strip_suffix("\r\n").unwrap_or(&self.text[..self.text.len() - 1]);
        if !before.trim_end_matches([' ', '\t']).ends_with(['\n', '\r']) {
            self.line("");
        }
    }

    fn verbatim(&mut self, text: &str) {
        let first = text.split(['\n', '\r']).next().unwrap_or_default();
        if std::mem::take(&mut self.behind_tag) && !first.trim().is_empty() {
            self.empty_line();
        }
        self.text.push_str(text);
    }

    fn front_matter(&mut self, span: source_text::Span, body: source_text::Span) {
        let (source, line_end) = (&self.document.source, self.line_end);
        self.text.push_str(&source[span.start..body.start]);
        self.text.push_str(&fields(source, body, line_end));
        self.text.push_str(&source[body.end..span.end]);
    }

    fn block(&mut self, block: &Block) {
        self.behind_tag = false;
        self.empty_line();
        let attributes: String = block.attributes.iter().map(attribute).collect();
        self.line(&format!("<{}{attributes}>", block.kind.name()));
        let content = match block.kind {
            BlockKind::Define => Content::Definitions,
            BlockKind::Example => Content::Statements,
        };
        if !self.is_blank(block) {
            for part in &block.parts {
                self.part(part, content);
            }
            self.empty_line();
        }
        self.line(&format!("</{}>", block.kind.name()));
        self.behind_tag = true;
    }

    /// Returns `true` if nothing is in a block.
    fn is_blank(&self, block: &Block) -> bool {
        block.parts.iter().all(|part| match part {
            BlockPart::Prose(span) | BlockPart::Code(span) => self.document.text(*span).trim().is_empty(),
            BlockPart::Fence(_) => false,
        })
    }

    fn part(&mut self, part: &BlockPart, content: Content) {
        let document = self.document;
        match part {
            BlockPart::Prose(span) => self.stretch(document.text(*span)),
            BlockPart::Fence(fence) if fence.is_code() => self.fence(fence, content),
            BlockPart::Fence(fence) => self.stretch(document.text(fence.span)),
            BlockPart::Code(span) => {
                let code = code(&document.source, *span, content, self.line_end);
                self.code("```typescript", &code, "```");
            }
        }
    }

    /// Adds text between empty lines.
    fn stretch(&mut self, text: &str) {
        let text = text.trim_end();
        let start = text.len() - text.trim_start().len();
        let line = text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        if start < text.len() {
            self.empty_line();
            self.line(&text[line..]);
        }
    }

    fn fence(&mut self, fence: &Fence, content: Content) {
        let document = self.document;
        let opener = document.source[fence.span.start..fence.body.start].trim();
        let marks = opener.len() - opener.trim_start_matches(['`', '~']).len();
        let (marks, behind) = opener.split_at(marks);
        let behind = behind.trim_start().strip_prefix(&fence.info).unwrap_or_default().trim();
        let opener = format!("{marks}typescript {behind}");
        let code = code(&document.source, fence.body, content, self.line_end);
        self.code(opener.trim_end(), &code, marks);
    }

    fn code(&mut self, opener: &str, code: &str, closer: &str) {
        self.empty_line();
        self.line(opener);
        if !code.is_empty() {
            self.line(code);
        }
        self.line(closer);
    }
}

/// Prints an attribute with a blank before it: ` id="welcome"`.
fn attribute(attribute: &Attribute) -> String {
    let name = &attribute.name;
    match &attribute.value {
        None => format!(" {name}"),
        Some(value) if value.contains('"') => format!(" {name}='{value}'"),
        Some(value) => format!(" {name}=\"{value}\""),
    }
}
