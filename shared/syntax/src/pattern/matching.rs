//! Compares nodes with a pattern. It tries every way to divide nodes between holes, within a limit of steps.

use std::collections::HashSet;

use source_text::Span;
use tree_sitter::Node;

use super::shape::{Part, meant};
use crate::Language;

/// The state of a comparison in one text.
pub(super) struct Matching<'a> {
    language: Language,
    text: &'a str,
    /// The number of steps left.
    pub(super) steps: usize,
    /// The span that each name is bound to so far.
    bindings: Vec<Option<Span>>,
    /// The end of what matched.
    end: usize,
}

/// A child of a node.
#[derive(Clone, Copy)]
pub(super) struct Child<'tree> {
    pub(super) node: Node<'tree>,
    /// True if a pattern may leave it out.
    is_optional: bool,
}

/// Parts that are still to be matched, in this order, and the goal after them.
#[derive(Clone, Copy)]
struct Goal<'g, 'tree> {
    parts: &'g [Part],
    nodes: &'g [Child<'tree>],
    /// All of the nodes, if more may follow behind the parts.
    row: Option<&'g [Child<'tree>]>,
    rest: Option<&'g Goal<'g, 'tree>>,
}

impl<'a> Matching<'a> {
    pub(super) fn new(language: Language, text: &'a str, names: usize, steps: usize) -> Self {
        Self { language, text, steps, bindings: vec![None; names], end: 0 }
    }

    /// Matches a whole node. Returns its span and those of the names.
    pub(super) fn node(&mut self, part: &Part, node: Node<'_>) -> Option<(Span, Vec<Span>)> {
        self.bindings.fill(None);
        let goal = Goal { parts: &[], nodes: &[], row: None, rest: None };
        self.one(part, node, goal).then(|| (span(node), self.bound(node.start_byte())))
    }

    /// Matches the beginning of a row of nodes with parts.
    pub(super) fn row(&mut self, parts: &[Part], nodes: &[Child<'_>]) -> Option<(Span, Vec<Span>)> {
        self.bindings.fill(None);
        let start = nodes.first()?.node.start_byte();
        let is_found = self.is(Some(&Goal { parts, nodes, row: Some(nodes), rest: None }));
        is_found.then(|| (Span::new(start, self.end), self.bound(start)))
    }

    /// Returns the spans of all names. One in a hole that stands for nothing has an empty span.
    fn bound(&self, start: usize) -> Vec<Span> {
        self.bindings.iter().map(|it| it.unwrap_or(Span::new(start, start))).collect()
    }

    fn is(&mut self, goal: Option<&Goal<'_, '_>>) -> bool {
        let Some(goal) = goal else { return true };
        let Some((part, parts)) = goal.parts.split_first() else { return self.is_at_end(goal) };
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        if let Part::Many { name, least, is_one_item } = part {
            return self.many(*name, *least, *is_one_item, Goal { parts, ..*goal });
        }
        for (index, child) in goal.nodes.iter().enumerate() {
            let next = Goal { parts, nodes: &goal.nodes[index + 1..], ..*goal };
            if self.one(part, child.node, next) {
                return true;
            }
            if !child.is_optional {
                return false;
            }
        }
        false
    }

    fn is_at_end(&mut self, goal: &Goal<'_, '_>) -> bool {
        match goal.row {
            Some(row) => {
                let found = &row[..row.len() - goal.nodes.len()];
                self.end = found.last().map_or(0, |it| it.node.end_byte());
                self.is(goal.rest)
            }
            None => goal.nodes.iter().all(|it| it.is_optional) && self.is(goal.rest),
        }
    }

    fn one(&mut self, part: &Part, node: Node<'_>, next: Goal<'_, '_>) -> bool {
        match part {
            Part::Any { name } => node.is_named() && self.bind(*name, span(node), &next),
            Part::Leaf { text } if node.child_count() == 0 => {
                &self.text[node.byte_range()] == text && self.is(Some(&next))
            }
            Part::Leaf { .. } => without_types(node).is_some_and(|it| self.one(part, it, next)),
            Part::Node { kind, .. } if node.kind_id() != *kind => {
                without_types(node).is_some_and(|it| self.one(part, it, next))
            }
            Part::Node { parts, .. } => {
                let nodes = children(node, self.text, self.language);
                self.steps = self.steps.saturating_sub(nodes.len());
                self.is(Some(&Goal { parts, nodes: &nodes, row: None, rest: Some(&next) }))
            }
            Part::Many { name, least, is_one_item } => {
                *least <= 1 && !*is_one_item && self.bind(*name, span(node), &next)
            }
        }
    }

    fn many(&mut self, name: Option<usize>, least: usize, is_one_item: bool, next: Goal<'_, '_>) -> bool {
        let nodes = next.nodes;
        let is_rest = next.parts.is_empty() && next.row.is_none() && !is_one_item;
        let first = if is_rest { nodes.len() } else { least };
        for count in first.max(least)..=nodes.len() {
            // A repeated name is compared first, because it mostly fails.
            self.steps = self.steps.saturating_sub(1);
            let newest = count.checked_sub(1).map(|it| nodes[it].node);
            if is_one_item && newest.is_some_and(|it| &self.text[it.byte_range()] == ",") {
                return false;
            }
            let next = Goal { nodes: &nodes[count..], ..next };
            if self.bind(name, self.things(&nodes[..count], next.nodes), &next) {
                return true;
            }
            if self.steps == 0 {
                return false;
            }
        }
        false
    }

    /// Returns the span from the first to the last node of a row, without separators.
    fn things(&self, nodes: &[Child<'_>], behind: &[Child<'_>]) -> Span {
        let is_thing =
            |it: &&Child<'_>| it.node.is_named() || !matches!(&self.text[it.node.byte_range()], "," | ";");
        let (first, last) = (nodes.iter().find(is_thing), nodes.iter().rev().find(is_thing));
        match (first, last) {
            (Some(first), Some(last)) => Span::new(first.node.start_byte(), last.node.end_byte()),
            _ => {
                let at = nodes.first().or(behind.first()).map_or(0, |it| it.node.start_byte());
                Span::new(at, at)
            }
        }
    }

    /// Binds a name and continues with the next goal. Fails if the name is bound to another text.
    fn bind(&mut self, name: Option<usize>, span: Span, next: &Goal<'_, '_>) -> bool {
        let Some(name) = name else { return self.is(Some(next)) };
        if let Some(bound) = self.bindings[name] {
            return self.text[bound.range()] == self.text[span.range()] && self.is(Some(next));
        }
        self.bindings[name] = Some(span);
        let is_found = self.is(Some(next));
        if !is_found {
            self.bindings[name] = None;
        }
        is_found
    }
}

/// Returns the called or constructed expression without type arguments, which a pattern may leave out.
fn without_types(node: Node<'_>) -> Option<Node<'_>> {
    let is_typed = match node.kind() {
        "generic_function" | "template_function" | "template_method" => true,
        // Elsewhere other type arguments make another type.
        "generic_type" | "template_type" => node.parent().is_some_and(|it| {
            matches!(it.kind(), "scoped_identifier" | "object_creation_expression" | "qualified_identifier")
        }),
        _ => false,
    };
    node.named_child(0).filter(|_| is_typed)
}

pub(super) fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

/// Returns the children of a node that take part in the comparison.
pub(super) fn children<'tree>(node: Node<'tree>, text: &str, language: Language) -> Vec<Child<'tree>> {
    let mut cursor = node.walk();
    let mut all = Vec::new();
    let mut unasked = HashSet::new();
    let mut more = cursor.goto_first_child();
    while more {
        all.push(cursor.node());
        if cursor.field_name().is_some_and(|it| is_optional_field(node, it)) {
            unasked.insert(cursor.node().id());
        }
        more = cursor.goto_next_sibling();
    }
    let is_field = |node: &Node<'_>| unasked.contains(&node.id());
    let meant = meant(&all, text, language);
    let child = |index: usize| {
        let node = meant[index];
        // The marker of a type annotation is a part of it.
        let announces = matches!(node.kind(), ":" | "->") && meant.get(index + 1).is_some_and(is_field);
        Child { node, is_optional: announces || is_field(&node) || is_optional(node) }
    };
    (0..meant.len()).map(child).collect()
}

/// Returns true for fields that a pattern may leave out: a type annotation next to a name and a value.
fn is_optional_field(parent: Node<'_>, field: &str) -> bool {
    match field {
        "return_type" | "type_parameters" | "type_arguments" => true,
        "type" => matches!(
            parent.kind(),
            "let_declaration" | "const_item" | "static_item" | "assignment" | "variable_declarator"
        ),
        _ => false,
    }
}

/// Returns true for nodes that a pattern may leave out: visibility, storage, attributes, modifiers.
fn is_optional(node: Node<'_>) -> bool {
    const NAMED: [&str; 24] = [
        "visibility_modifier",
        "function_modifiers",
        "mutable_specifier",
        "modifiers",
        "modifier",
        "accessibility_modifier",
        "override_modifier",
        "readonly_modifier",
        "static_modifier",
        "final_modifier",
        "abstract_modifier",
        "var_modifier",
        "storage_class_specifier",
        "type_qualifier",
        "virtual",
        "attribute_item",
        "attribute_list",
        "attribute_declaration",
        "decorator",
        "annotation",
        "marker_annotation",
        "type_parameters",
        "type_arguments",
        "where_clause",
    ];
    const WORDS: [&str; 18] = [
        "async",
        "static",
        "readonly",
        "declare",
        "abstract",
        "override",
        "inline",
        "virtual",
        "final",
        "public",
        "private",
        "protected",
        "internal",
        "sealed",
        "partial",
        "synchronized",
        "volatile",
        "transient",
    ];
    if node.is_named() { NAMED.contains(&node.kind()) } else { WORDS.contains(&node.kind()) }
}
