//! Visits every node of a text, including code in macros.

use source_text::Span;
use tree_sitter::{Node, TreeCursor};

use super::literal::is_literal;
use super::matching::{Matching, children};
use super::shape::{Part, Shape, placed_children};
use super::{Match, Matches, Pattern};
use crate::macros::{self, Inner};
use crate::{Language, Parsed};

/// The maximum number of comparison steps of a text, in any case and per byte.
const STEPS: usize = 200_000;
const STEPS_PER_BYTE: usize = 20;

/// The maximum nesting of macros.
const MACRO_DEPTH: usize = 8;

impl Pattern {
    /// Returns the places in a text that match.
    ///
    /// # Panics
    /// If the text is of another language.
    pub fn matches(&self, parsed: &Parsed<'_>) -> Matches {
        assert_eq!(self.language, parsed.language, "a pattern is matched with texts of its language");
        matches(self, parsed)
    }
}

fn matches(pattern: &Pattern, parsed: &Parsed<'_>) -> Matches {
    let mut visit = Visit {
        pattern,
        matches: Matches::default(),
        steps: STEPS.saturating_add(parsed.text.len().saturating_mul(STEPS_PER_BYTE)),
    };
    visit.tree(&Inner::all(parsed), 0);
    let mut matches = visit.matches;
    matches.found.sort_by_key(|it| (it.span.start, std::cmp::Reverse(it.span.end)));
    matches.found.dedup_by_key(|it| it.span);
    matches
}

struct Visit<'a> {
    pattern: &'a Pattern,
    matches: Matches,
    steps: usize,
}

impl Visit<'_> {
    /// Visits every node of a tree. The cursor moves without recursion, so that no depth is too deep.
    fn tree(&mut self, inner: &Inner<'_>, depth: usize) {
        let mut cursor = inner.tree.walk();
        loop {
            if self.steps == 0 {
                self.matches.is_cut = true;
                return;
            }
            self.node(inner, cursor.node(), depth);
            if !cursor.goto_first_child() && !next(&mut cursor) {
                return;
            }
        }
    }

    fn node(&mut self, inner: &Inner<'_>, node: Node<'_>, depth: usize) {
        self.steps = self.steps.saturating_sub(1);
        let pattern = self.pattern;
        for shape in &pattern.shapes {
            self.compare(inner, shape, node);
        }
        if node.is_error() && self.has_a_word(&inner.text[node.byte_range()]) {
            self.matches.is_doubtful = true;
        }
        if depth < MACRO_DEPTH && macros::is_code(node) && self.has_words(&inner.text[node.byte_range()]) {
            self.steps = self.steps.saturating_sub(node.byte_range().len());
            if let Some(inner) = macros::read(pattern.language, inner, node) {
                self.tree(&inner, depth + 1);
            }
        }
    }

    /// Returns true if a match could begin or end in a text that does not parse.
    fn has_a_word(&self, text: &str) -> bool {
        let words = &self.pattern.words;
        words.is_empty() || words.iter().any(|it| text.contains(it.as_str()))
    }

    fn has_words(&self, text: &str) -> bool {
        self.pattern.words.iter().all(|it| text.contains(it.as_str()))
    }

    fn compare(&mut self, inner: &Inner<'_>, shape: &Shape, node: Node<'_>) {
        let mut matching =
            Matching::new(self.pattern.language, inner.text(), self.pattern.names.len(), self.steps);
        match shape.parts.as_slice() {
            [part] if may_be(part, node, self.pattern.language) => {
                if let Some((span, bindings)) = matching.node(part, node) {
                    self.matches.found.extend(in_file(inner, span, &bindings));
                }
                self.matches.is_doubtful |= is_torn(node);
            }
            [_] => return,
            parts if node.child_count() > 1 => {
                let language = self.pattern.language;
                let nodes = children(node, inner.text(), language);
                let starts = (0..nodes.len())
                    .filter(|it| parts.first().is_some_and(|part| may_be(part, nodes[*it].node, language)));
                for start in starts {
                    if let Some((span, bindings)) = matching.row(parts, &nodes[start..]) {
                        self.matches.found.extend(in_file(inner, span, &bindings));
                    }
                }
            }
            _ => return,
        }
        self.steps = matching.steps;
    }
}

/// Converts a match to spans of the file; `None` if it lies outside.
fn in_file(inner: &Inner<'_>, span: Span, bindings: &[Span]) -> Option<Match> {
    let bindings = bindings.iter().map(|it| inner.shifted(*it)).collect();
    inner.in_file(span).map(|span| Match { span, bindings })
}

/// Returns true if a comparison can succeed.
fn may_be(part: &Part, node: Node<'_>, language: Language) -> bool {
    match part {
        Part::Any { .. } => node.is_named(),
        Part::Many { .. } => true,
        Part::Leaf { text } => node.child_count() == 0 && node.byte_range().len() == text.len(),
        Part::Literal { .. } => is_literal(node.kind(), language),
        Part::Node { kinds, .. } => kinds.contains(&node.kind_id()),
    }
}

/// Returns true if text among the parts of a node, apart from its body, does not parse, or something is missing there.
fn is_torn(node: Node<'_>) -> bool {
    let is_broken = |it: &Node<'_>| it.is_error() || it.is_missing();
    let mut inner = head(node).filter(|it| it.has_error() || it.is_missing());
    node.has_error() && inner.any(|it| is_broken(&it) || head(it).any(|it| is_broken(&it)))
}

/// Returns the children of a node without its body.
fn head(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    placed_children(node).into_iter().filter(|it| it.1 != Some("body")).map(|it| it.0)
}

fn next(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}
