//! Code in macros: the arguments of calls, which Rust's grammar parses as tokens only, and the bodies of definitions,
//! which C's leaves as text.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use source_text::Span;
use tree_sitter::{Node, Parser, Tree};

use crate::parsed::parse;
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

    /// Converts a span to one of the file; `None` if it lies outside.
    pub(super) fn in_file(&self, span: Span) -> Option<Span> {
        let is_inside = self.part.start <= span.start && span.end <= self.part.end;
        is_inside.then(|| self.shifted(span))
    }

    /// Converts a span to one of the file. What lies before the part is at its start.
    pub(super) fn shifted(&self, span: Span) -> Span {
        let offset = |at: usize| at.saturating_sub(self.part.start) + self.start;
        Span::new(offset(span.start), offset(span.end))
    }

    /// Converts an offset of the file to one of the text.
    pub(super) fn offset(&self, in_file: usize) -> usize {
        in_file.saturating_sub(self.start) + self.part.start
    }

    /// Returns true if it is code of the language, with what is around the part.
    pub(super) fn is_whole(&self) -> bool {
        !self.tree.root_node().has_error()
    }

    /// Returns it as a file of its own.
    pub(super) fn parsed(&self, language: Language) -> Parsed<'_> {
        Parsed { language, text: &self.text, tree: self.tree.clone().into_owned() }
    }

    /// Returns true for the name before `=` in an argument that the arguments' macro reads: it is not assigned to.
    pub(super) fn is_named_argument(&self, name: &Node<'_>) -> bool {
        let assignment = name.parent().filter(|it| it.kind() == "assignment_expression");
        let arguments = assignment.and_then(|it| it.parent()).filter(|it| it.kind() == "arguments");
        arguments.is_some_and(|it| it.start_byte() + 1 == self.part.start)
    }
}

/// Code around the arguments of a call in Rust: as arguments, as statements, as array elements, as items.
const CALL: [(&str, &str); 4] =
    [("fn f() { f(", ") }"), ("fn f() { ", " }"), ("fn f() { [", "] }"), ("", "")];

/// Code around the body of a definition in C: as an expression, as statements, as definitions.
const BODY: [(&str, &str); 3] = [("int _(void) { return (", "); }"), ("void _(void) { ", "; }"), ("", "")];

/// Code around an arm of a `match`.
const ARM: [(&str, &str); 1] = [("fn f() { match x { ", " => {} } }")];

/// Returns true for the bracketed tokens of a macro call, and for the body of a macro.
pub(super) fn is_code(node: Node<'_>) -> bool {
    match node.kind() {
        "token_tree" => node.parent().is_some_and(|it| it.kind() == "macro_invocation"),
        "preproc_arg" => {
            node.parent().is_some_and(|it| matches!(it.kind(), "preproc_def" | "preproc_function_def"))
        }
        _ => false,
    }
}

/// Parses the code of a macro. Returns the first reading without errors, or else the first.
pub(super) fn read(language: Language, around: &Inner<'_>, node: Node<'_>) -> Option<Inner<'static>> {
    let range = node.byte_range();
    if node.kind() == "preproc_arg" {
        return read_as(language, around, range, &BODY);
    }
    read_as(language, around, range.start + 1..range.end.checked_sub(1)?, &CALL)
}

/// Parses the pattern that `matches!` and the like have behind the first comma, if it contains an offset.
pub(super) fn read_pattern(
    language: Language,
    around: &Inner<'_>,
    node: Node<'_>,
    offset: usize,
) -> Option<Inner<'static>> {
    let call = node.parent().and_then(|it| it.child_by_field_name("macro"))?;
    let mut cursor = node.walk();
    let comma =
        node.children(&mut cursor).find(|it| it.kind() == ",").filter(|it| it.end_byte() <= offset)?;
    let is_match = around.text[call.byte_range()].ends_with("matches");
    let end = around.text[..node.end_byte().checked_sub(1)?].trim_end().trim_end_matches(',').len();
    let range = comma.end_byte()..end.max(comma.end_byte());
    is_match.then(|| read_as(language, around, range, &ARM)).flatten()
}

fn read_as(
    language: Language,
    around: &Inner<'_>,
    range: Range<usize>,
    contexts: &[(&str, &str)],
) -> Option<Inner<'static>> {
    let code = around.text.get(range.clone())?;
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let mut first = None;
    for (before, after) in contexts {
        let text = format!("{before}{code}{after}");
        let tree = parse(&mut parser, language, &text, &mut |_| ControlFlow::Continue(()))?;
        let inner = Inner {
            part: Span::new(before.len(), before.len() + code.len()),
            start: around.start + range.start.saturating_sub(around.part.start),
            text: Cow::Owned(text),
            tree: Cow::Owned(tree),
        };
        if inner.is_whole() {
            return Some(inner);
        }
        first = first.or(Some(inner));
    }
    first
}
