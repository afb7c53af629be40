//! Compares nodes with a pattern. It tries every way to divide nodes between holes, within a limit of steps.

use source_text::Span;
use tree_sitter::Node;

use super::literal::{is_same_mark, literal};
use super::optional::{announces, is_optional};
use super::shape::{Content, Part, Placed, Role, meant, placed_children};
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
    field: Option<&'static str>,
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
            if may_take(part, child) && self.one(part, child.node, next) {
                return true;
            }
            if !child.is_optional {
                break;
            }
        }
        let Part::Node { role: Role::AnyList { name }, .. } = part else { return false };
        let at = goal.nodes.first().map_or(0, |it| it.node.start_byte());
        self.bind(*name, Span::new(at, at), &Goal { parts, ..*goal })
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
            Part::Any { name, .. } => node.is_named() && self.bind(*name, span(node), &next),
            Part::Leaf { text } if node.child_count() == 0 => {
                let found = &self.text[node.byte_range()];
                (found == text || is_same_mark(node, text, found)) && self.is(Some(&next))
            }
            Part::Leaf { .. } => without_types(node).is_some_and(|it| self.one(part, it, next)),
            Part::Literal { prefix, content } => self.literal(prefix, content, node, &next),
            Part::Node { kinds, role, .. } if !kinds.contains(&node.kind_id()) => match role {
                Role::Declarator { type_name } if is_star(node) => {
                    self.behind_star(part, *type_name, node, next)
                }
                _ if self.generator(part, node, &next) => true,
                _ => without_types(node).is_some_and(|it| self.one(part, it, next)),
            },
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

    /// Matches brackets with a hole to a generator in Python, whose brackets are those of the call.
    fn generator(&mut self, part: &Part, node: Node<'_>, next: &Goal<'_, '_>) -> bool {
        let Part::Node { parts, .. } = part else { return false };
        let [Part::Leaf { text }, hole, Part::Leaf { .. }] = parts.as_slice() else { return false };
        let is_argument = node.kind() == "generator_expression" && text == "(" && node.child_count() > 2;
        let (Part::Any { name, .. } | Part::Many { name, .. }) = hole else { return false };
        is_argument && self.bind(*name, Span::new(node.start_byte() + 1, node.end_byte() - 1), next)
    }

    fn literal(&mut self, prefix: &str, content: &Content, node: Node<'_>, next: &Goal<'_, '_>) -> bool {
        let Some(found) = literal(node, self.text, self.language) else { return false };
        if found.prefix != prefix {
            return false;
        }
        match content {
            Content::Exactly(spelled) => {
                !found.is_interpolated && found.spelled(self.text) == *spelled && self.is(Some(next))
            }
            Content::Any { name } => {
                self.bind(*name, Span::new(found.content.start, found.content.end), next)
            }
        }
    }

    /// Matches a declarator behind the star of a pointer. The star becomes a part of the type that a hole stands for.
    fn behind_star(
        &mut self,
        part: &Part,
        type_name: Option<usize>,
        node: Node<'_>,
        next: Goal<'_, '_>,
    ) -> bool {
        let last = u32::try_from(node.named_child_count()).ok().and_then(|it| it.checked_sub(1));
        let Some(inner) = last.and_then(|it| node.named_child(it)) else { return false };
        let bound = type_name.and_then(|it| self.bindings[it]);
        if let (Some(name), Some(bound)) = (type_name, bound) {
            let before = self.text.get(bound.start..inner.start_byte()).unwrap_or_default();
            self.bindings[name] = Some(Span::new(bound.start, bound.start + before.trim_end().len()));
        }
        let is_found = self.one(part, inner, next);
        if let Some(name) = type_name.filter(|_| !is_found) {
            self.bindings[name] = bound;
        }
        is_found
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

/// Returns false for a hole in one field and an optional child of another: the hole stands for something else.
fn may_take(part: &Part, child: &Child<'_>) -> bool {
    match part {
        Part::Any { field: Some(field), .. } => !child.is_optional || child.field == Some(*field),
        _ => true,
    }
}

/// Returns true for the declarators of pointers and references, which in C belong to the type.
fn is_star(node: Node<'_>) -> bool {
    matches!(node.kind(), "pointer_declarator" | "reference_declarator")
}

/// Returns the called or constructed expression without type arguments, which a pattern may leave out.
fn without_types(node: Node<'_>) -> Option<Node<'_>> {
    let is_typed = match node.kind() {
        "generic_function" | "template_function" | "template_method" => true,
        "generic_name" => node.parent().is_some_and(|it| it.kind() != "type_argument_list"),
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
    let meant = meant(&placed_children(node), text, language);
    let is_free = |(child, field): &Placed<'_>| is_optional(node, *child, *field);
    let child = |index: usize| {
        let (child, field) = meant[index];
        // The token before an optional field is a part of it.
        let is_announced = |it: &Placed<'_>| it.1.is_some() && is_free(it);
        let announces = announces(child) && meant.get(index + 1).is_some_and(is_announced);
        Child { node: child, field, is_optional: announces || is_free(&meant[index]) }
    };
    (0..meant.len()).map(child).collect()
}
