//! Code in macro calls, which the grammar parses as tokens only.

use std::borrow::Cow;

use source_text::Span;
use tree_sitter::{Node, Parser, Tree};

use super::Match;
use crate::{Language, Parsed};

/// A text with its tree, and its place in the file.
pub(super) struct Inner<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) tree: Cow<'a, Tree>,
    /// The part of the text that is in the file, and its start there.
    part: Span,
    start: usize,
}

impl<'a> Inner<'a> {
    /// Wraps a whole file.
    pub(super) fn all(parsed: &'a Parsed<'_>) -> Self {
        Self {
            text: Cow::Borrowed(parsed.text),
            tree: Cow::Borrowed(&parsed.tree),
            part: Span::new(0, parsed.text.len()),
            start: 0,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Converts a match to spans of the file; `None` if it lies outside.
    pub(super) fn in_file(&self, span: Span, bindings: &[Span]) -> Option<Match> {
        let is_inside = self.part.start <= span.start && span.end <= self.part.end;
        let shift = |it: &Span| {
            let offset = |at: usize| at.saturating_sub(self.part.start) + self.start;
            Span::new(offset(it.start), offset(it.end))
        };
        is_inside.then(|| Match { span: shift(&span), bindings: bindings.iter().map(shift).collect() })
    }
}

/// Returns true for the bracketed tokens of a macro call.
pub(super) fn is_call(node: Node<'_>) -> bool {
    node.kind() == "token_tree" && node.parent().is_some_and(|it| it.kind() == "macro_invocation")
}

/// Parses the tokens as arguments, statements, array elements or items. Returns the first reading without errors, or
/// else the first.
pub(super) fn read(language: Language, around: &Inner<'_>, node: Node<'_>) -> Option<Inner<'static>> {
    let range = node.byte_range();
    let code = around.text.get(range.start + 1..range.end.checked_sub(1)?)?;
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let mut first = None;
    for (before, after) in [("fn f() { f(", ") }"), ("fn f() { ", " }"), ("fn f() { [", "] }"), ("", "")] {
        let text = format!("{before}{code}{after}");
        let tree = parser.parse(&text, None)?;
        let is_whole = !tree.root_node().has_error();
        let inner = Inner {
            part: Span::new(before.len(), before.len() + code.len()),
            start: around.start + (range.start + 1).saturating_sub(around.part.start),
            text: Cow::Owned(text),
            tree: Cow::Owned(tree),
        };
        if is_whole {
            return Some(inner);
        }
        first = first.or(Some(inner));
    }
    first
}
