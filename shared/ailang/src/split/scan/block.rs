//! Blocks: from an opening tag to its closing one.

use std::collections::HashMap;

use source_text::Span;

use super::Scanner;
use crate::diagnostic::Code;
use crate::split::fence::{Opener, opener};
use crate::split::tag::{Tag, malformed, tag};
use crate::split::{Attribute, Block, BlockKind, BlockPart, Fence, Part};

/// An incomplete block.
struct Open {
    kind: BlockKind,
    /// The index of its first line.
    first: usize,
    parts: Vec<BlockPart>,
    /// The first line that is not in `parts` yet.
    pending: usize,
}

impl Scanner<'_, '_> {
    /// Scans the block that this line opens.
    pub(super) fn block(&mut self, kind: BlockKind, attributes: Vec<Attribute>) {
        self.check_attributes(kind, &attributes);
        let first = self.at;
        self.at += 1;
        let mut open = Open { kind, first, parts: Vec::new(), pending: self.at };
        let closer = self.inside(&mut open);
        let behind = self.at - usize::from(closer.is_some());
        self.flush(&mut open, behind);
        let has_fence = open.parts.iter().any(|part| matches!(part, BlockPart::Fence(_)));
        if has_fence {
            self.check_parts(&open);
            self.check_code(&open);
        } else {
            open.parts.iter_mut().for_each(|part| *part = BlockPart::Code(part.span()));
        }
        self.parts.push(Part::Block(Block {
            kind,
            span: self.stretch(first, self.at),
            opener: self.stretch(first, first + 1),
            attributes,
            parts: open.parts,
            closer,
        }));
    }

    /// Scans to the end of the block, and returns the place of its closing tag.
    fn inside(&mut self, open: &mut Open) -> Option<Span> {
        while self.at < self.lines.len() {
            let line = self.lines[self.at].text;
            match tag(self.source, line) {
                Some(Tag::Close(kind)) => {
                    self.check_closer(open, kind, line);
                    self.at += 1;
                    return Some(line);
                }
                Some(Tag::Open(kind, _)) => {
                    self.nested(open, kind, line);
                    return None;
                }
                None => self.inner_line(open),
            }
        }
        self.unclosed(open);
        None
    }

    fn inner_line(&mut self, open: &mut Open) {
        let text = self.text(self.at);
        if let Some(opener) = opener(text) {
            self.flush(open, self.at);
            let fence = self.block_fence(open.kind, &opener);
            open.parts.push(BlockPart::Fence(fence));
            open.pending = self.at;
            return;
        }
        // In code, only a tag at the start of its line is reported; elsewhere it may be part of a string.
        if let Some(found) = malformed(text, |at| !text[..at].trim().is_empty()) {
            self.malformed(found);
        }
        self.at += 1;
    }

    /// Adds the pending lines before line `to` as prose.
    fn flush(&self, open: &mut Open, to: usize) {
        if open.pending < to {
            open.parts.push(BlockPart::Prose(self.stretch(open.pending, to)));
            open.pending = to;
        }
    }

    /// Scans a fence. It may contain a closing tag of the block if both the fence and the block are closed
    /// behind it.
    fn block_fence(&mut self, kind: BlockKind, opener: &Opener) -> Fence {
        let closer = self.closers.find(self.source, &self.lines, opener, self.at + 1);
        let next = self.next_tag[self.at].clone();
        let Some((end, _)) = next else {
            let closer = closer.or_else(|| self.unclosed_fence());
            return self.fence(opener, closer, self.lines.len());
        };
        let holds = |closer: usize| {
            closer < end
                || matches!(self.next_tag.get(closer), Some(Some((_, Tag::Close(close)))) if *close == kind)
        };
        let closer = closer.filter(|closer| holds(*closer)).or_else(|| self.unclosed_fence());
        self.fence(opener, closer, end)
    }

    fn unclosed_fence(&mut self) -> Option<usize> {
        let line = self.lines[self.at].text;
        let help = "close it with a line that has at least as many of the same marks, and nothing else";
        self.diagnostics.error(Code::UNCLOSED_FENCE, line, "this fence is never closed").help(help);
        None
    }

    fn check_closer(&mut self, open: &Open, kind: BlockKind, line: Span) {
        if kind == open.kind {
            return;
        }
        let (opened, closed) = (open.kind.name(), kind.name());
        let message = format!("`</{closed}>` closes a `<{opened}>`");
        let opener = self.lines[open.first].text;
        self.diagnostics
            .error(Code::WRONG_CLOSING_TAG, line, message)
            .replace("close what was opened", line, format!("</{opened}>"))
            .related(opener, "opened here");
    }

    fn nested(&mut self, open: &Open, kind: BlockKind, line: Span) {
        let message = format!("`<{}>` inside `<{}>`: blocks do not nest", kind.name(), open.kind.name());
        let opener = self.lines[open.first].text;
        self.diagnostics.error(Code::NESTED_BLOCK, line, message).related(opener, "this block is still open");
        self.unclosed(open);
    }

    fn unclosed(&mut self, open: &Open) {
        let name = open.kind.name();
        let message = format!("`<{name}>` is never closed");
        let line = self.lines[open.first].text;
        self.diagnostics
            .error(Code::UNCLOSED_BLOCK, line, message)
            .help(format!("write `</{name}>` alone on a line behind it"));
    }

    fn check_attributes(&mut self, kind: BlockKind, attributes: &[Attribute]) {
        let known: &[&str] = match kind {
            BlockKind::Define => &[],
            BlockKind::Example => &["id", "tool", "title", "description", "level"],
        };
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for attribute in attributes {
            let name = &attribute.name;
            if let Some(first) = seen.insert(name, attribute.span) {
                self.diagnostics
                    .error(Code::DUPLICATE_ATTRIBUTE, attribute.span, format!("`{name}` is given twice"))
                    .related(first, "before here");
            } else if !known.contains(&name.as_str()) {
                let message = format!("`<{}>` has no attribute `{name}`", kind.name());
                self.diagnostics.warning(Code::UNKNOWN_ATTRIBUTE, attribute.span, message).nearest(
                    name,
                    attribute.span,
                    known.iter().copied(),
                );
            }
        }
    }

    /// Reports an example whose fences are all attachments: nothing of it would run.
    fn check_code(&mut self, open: &Open) {
        let fences = || {
            open.parts.iter().filter_map(|part| match part {
                BlockPart::Fence(fence) => Some(fence),
                _ => None,
            })
        };
        let is_program = |fence: &Fence| fence.is_code() || fence.info == "dialect";
        if open.kind != BlockKind::Example || fences().any(is_program) {
            return;
        }
        let Some(first) = fences().next() else { return };
        let opener = self.source[first.span.range()].lines().next().unwrap_or_default();
        let opener = Span::new(first.span.start, first.span.start + opener.len());
        let message = format!("a fence `{}` is taken for text, not for the example's program", first.info);
        self.diagnostics
            .warning(Code::DEFINITION_OUTSIDE_FENCE, opener, message)
            .help("write `typescript` behind the opening fence");
    }

    /// Reports definitions outside of the code, which would be ignored.
    fn check_parts(&mut self, open: &Open) {
        for part in &open.parts {
            match part {
                BlockPart::Prose(span) => {
                    let message = "this stands outside the code's fence, so it is taken for text";
                    if let Some(found) = definition(self.source, *span) {
                        self.diagnostics.error(Code::DEFINITION_OUTSIDE_FENCE, found, message);
                    }
                }
                BlockPart::Fence(fence) if open.kind == BlockKind::Define && !fence.is_code() => {
                    let message = format!("a fence `{}` is taken for text, not for definitions", fence.info);
                    if let Some(found) = definition(self.source, fence.body) {
                        self.diagnostics
                            .warning(Code::DEFINITION_OUTSIDE_FENCE, found, message)
                            .help("write `typescript` behind the opening fence");
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns the first line that looks like a definition: `type A =`, `tool f(`, `import { a } from`.
fn definition(source: &str, span: Span) -> Option<Span> {
    let mut start = span.start;
    source[span.range()].split_inclusive('\n').find_map(|line| {
        let text = line.trim();
        let from = start + (line.len() - line.trim_start().len());
        start += line.len();
        looks_like_definition(text).then(|| Span::new(from, from + text.len()))
    })
}

fn looks_like_definition(line: &str) -> bool {
    let Some((word, rest)) = line.split_once([' ', '\t']) else { return false };
    let rest = rest.trim_start();
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let behind = rest.trim_start_matches(is_name);
    let named = behind.len() < rest.len();
    let behind = behind.trim_start();
    match word {
        "type" => named && behind.starts_with(['=', '<']),
        "enum" => named && behind.starts_with('{'),
        "capability" => named && behind.starts_with(['=', '{']),
        "error" => named && (behind.is_empty() || behind.starts_with(['(', '{'])),
        "tool" => named && behind.starts_with('('),
        "from" => rest.contains(" import "),
        "import" => rest.starts_with('{') || rest.contains(" from \""),
        _ => false,
    }
}
