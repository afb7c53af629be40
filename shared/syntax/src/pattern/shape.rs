//! Shapes: patterns as nodes of the grammar, with holes.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::PatternError;
use super::holes::{Source, Written};
use super::literal::{self, Literal};
use super::optional::{may_lack_brackets, same_kinds};
use crate::Language;

/// The maximum nesting of a pattern.
const DEPTH: usize = 200;

/// The nodes in a row that a pattern consists of; mostly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) parts: Vec<Part>,
}

/// The requirement on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Any named node, bound to the name of a hole. It stands in this field of its parent.
    Any { name: Option<usize>, field: Option<&'static str> },
    /// Any nodes in a row, at least so many, bound to the name of a hole. It has no commas if they separate things
    /// that the grammar does not parse.
    Many { name: Option<usize>, least: usize, is_one_item: bool },
    /// A node without children that has this text.
    Leaf { text: String },
    /// A string literal, whatever its quotes.
    Literal { prefix: String, content: Content },
    /// A node with children, of one of these kinds.
    Node { kinds: Vec<u16>, parts: Vec<Part>, role: Role },
}

/// The text of a string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The text as [`Literal::spelled`] writes it.
    Exactly(String),
    /// Any text, bound to the name of a hole.
    Any { name: Option<usize> },
}

/// The part that a node has in its parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    #[default]
    Plain,
    /// Brackets around any number of things, or none: they may be missing.
    AnyList { name: Option<usize> },
    /// A declarator in C next to a hole for its type, which takes the stars before the declarator too.
    Declarator { type_name: Option<usize> },
}

/// A node with its field in its parent.
pub(super) type Placed<'tree> = (Node<'tree>, Option<&'static str>);

/// Compiles nodes of a pattern to parts.
pub(super) fn compile(
    nodes: &[Node<'_>],
    text: &str,
    written: &Written,
    source: &Source<'_>,
    language: Language,
) -> Result<Shape, PatternError> {
    let compiler = Compiler { text, written, source, language };
    // Nodes of the same extent, such as a statement and its expression: take the innermost.
    let mut nodes = nodes.to_vec();
    while let [node] = nodes.as_slice()
        && let Some(only) = only_child(*node)
    {
        nodes = vec![only];
    }
    let nodes: Vec<_> = nodes.into_iter().map(|it| (it, None)).collect();
    let parts = compiler.parts(&nodes, Inside::default(), 0)?;
    Ok(Shape { parts })
}

fn only_child(node: Node<'_>) -> Option<Node<'_>> {
    let child = node.child(0).filter(|it| node.child_count() == 1 && it.is_named())?;
    (child.byte_range() == node.byte_range()).then_some(child)
}

struct Compiler<'a> {
    text: &'a str,
    written: &'a Written,
    source: &'a Source<'a>,
    language: Language,
}

/// The surroundings of a hole.
#[derive(Clone, Copy, Debug, Default)]
struct Inside {
    /// A text in quotes: a hole is all of it.
    quotes: bool,
    /// A macro's tokens: a hole is one of its arguments.
    tokens: bool,
}

impl Compiler<'_> {
    fn parts(&self, nodes: &[Placed<'_>], inside: Inside, depth: usize) -> Result<Vec<Part>, PatternError> {
        let (mut parts, mut type_hole): (Vec<Part>, Option<Option<usize>>) = (Vec::new(), None);
        for (node, field) in meant(nodes, self.text, self.language) {
            let mut part = self.part((node, field), inside, depth)?;
            match (&mut part, field) {
                (Part::Any { name, .. }, Some("type")) => type_hole = Some(*name),
                (Part::Node { role, .. }, Some("declarator")) if node.kind() == "function_declarator" => {
                    *role = type_hole.map_or(*role, |type_name| Role::Declarator { type_name });
                }
                (Part::Node { parts, role, .. }, field) if may_lack_brackets(field) => {
                    *role = any_list(parts).map_or(*role, |name| Role::AnyList { name });
                }
                _ => {}
            }
            parts.push(part);
        }
        Ok(without_separators_of_many(parts))
    }

    fn part(&self, (node, field): Placed<'_>, inside: Inside, depth: usize) -> Result<Part, PatternError> {
        if depth > DEPTH {
            return Err(PatternError::TooLarge);
        }
        let text = &self.text[node.byte_range()];
        if let Some(hole) = self.written.hole(text).or_else(|| self.body(text)) {
            return Ok(self.hole(hole, field, inside));
        }
        if let Some(literal) = literal::literal(node, self.text, self.language)
            && let Some(content) = self.content(&literal)
        {
            return Ok(Part::Literal { prefix: literal.prefix, content });
        }
        if node.child_count() == 0 {
            return match self.written.part_of(text) {
                Some(hole) => {
                    let hole = self.source.holes.get(hole).map(|it| it.written.clone()).unwrap_or_default();
                    Err(PatternError::PartOfText { hole })
                }
                None => Ok(Part::Leaf { text: text.to_owned() }),
            };
        }
        let kind = node.kind();
        let inside = Inside {
            quotes: kind.contains("string") || kind.contains("char"),
            tokens: inside.tokens || kind == "token_tree",
        };
        let parts = self.parts(&placed_children(node), inside, depth + 1)?;
        let kinds = same_kinds(kind, node.kind_id(), self.language);
        Ok(Part::Node { kinds, parts, role: Role::Plain })
    }

    /// Returns the text of a literal; `None` if parts of it are code or holes.
    fn content(&self, literal: &Literal) -> Option<Content> {
        let text = &self.text[literal.content.clone()];
        if let Some(hole) = self.written.hole(text) {
            return Some(Content::Any { name: self.source.holes[hole].name });
        }
        let is_text = !literal.is_interpolated && self.written.part_of(text).is_none();
        is_text.then(|| Content::Exactly(literal.spelled(self.text).into_owned()))
    }

    /// Returns the hole that is a whole body, apart from line ends.
    fn body(&self, text: &str) -> Option<usize> {
        let is_end = |it: char| it == ';' || it.is_whitespace();
        let text = Some(text.trim_matches(is_end)).filter(|_| ends_lines_with_semicolons(self.language))?;
        self.written.hole(text).filter(|it| self.source.holes[*it].is_many)
    }

    fn hole(&self, hole: usize, field: Option<&'static str>, inside: Inside) -> Part {
        let hole = &self.source.holes[hole];
        match (hole.is_many, inside) {
            (false, Inside { quotes: false, tokens: false }) => Part::Any { name: hole.name, field },
            (false, Inside { quotes: false, tokens: true }) => {
                Part::Many { name: hole.name, least: 1, is_one_item: true }
            }
            (true, _) | (_, Inside { quotes: true, .. }) => {
                Part::Many { name: hole.name, least: 0, is_one_item: false }
            }
        }
    }
}

/// Returns the nodes of a row that are compared: without comments, and without a comma or semicolon before a closing
/// bracket or the end.
pub(super) fn meant<'tree>(nodes: &[Placed<'tree>], text: &str, language: Language) -> Vec<Placed<'tree>> {
    let is_alone = nodes.len() == 1;
    let text = |(node, _): &Placed<'_>| text.get(node.byte_range()).unwrap_or_default();
    let is_line_end = |it: &Placed<'_>| ends_lines_with_semicolons(language) && text(it) == ";";
    let is_meant = |it: &Placed<'tree>| is_alone || !it.0.is_extra() && !is_line_end(it);
    let mut meant: Vec<_> = nodes.iter().copied().filter(is_meant).collect();
    let is_closed = meant.last().is_some_and(|it| matches!(text(it), ")" | "]" | "}" | ">" | "|" | "end"));
    let last = meant.len().checked_sub(if is_closed { 2 } else { 1 });
    if let Some(last) = last.filter(|it| *it > 0 && matches!(text(&meant[*it]), "," | ";")) {
        meant.remove(last);
    }
    meant
}

/// Returns the children of a node with their fields. Nodes without extent are not in the text.
pub(super) fn placed_children(node: Node<'_>) -> Vec<Placed<'_>> {
    let mut cursor = node.walk();
    let mut children = Vec::with_capacity(node.child_count());
    let mut more = cursor.goto_first_child();
    while more {
        if is_written(&cursor.node()) {
            children.push((written(cursor.node()), cursor.field_name()));
        }
        more = cursor.goto_next_sibling();
    }
    children
}

fn is_written(node: &Node<'_>) -> bool {
    node.is_missing() || !node.byte_range().is_empty()
}

/// Returns the node within brackets and marks that are not in the text, see `misread`.
fn written(mut node: Node<'_>) -> Node<'_> {
    while let Some(inner) = in_unwritten_marks(node) {
        node = inner;
    }
    node
}

fn in_unwritten_marks(node: Node<'_>) -> Option<Node<'_>> {
    if !matches!(node.kind(), "parenthesized_expression" | "nullable_type" | "attribute") {
        return None;
    }
    let mut cursor = node.walk();
    let mut written = node.children(&mut cursor).filter(is_written);
    written.next().filter(|_| written.next().is_none())
}

/// Returns the name of the hole that is all between brackets.
fn any_list(parts: &[Part]) -> Option<Option<usize>> {
    let is_leaf = |part: &Part, wanted: &str| matches!(part, Part::Leaf { text } if text == wanted);
    match parts {
        [open, Part::Many { name, least: 0, is_one_item: false }, close] => {
            (is_leaf(open, "(") && is_leaf(close, ")")).then_some(*name)
        }
        _ => None,
    }
}

/// Returns true if a semicolon only ends a line.
fn ends_lines_with_semicolons(language: Language) -> bool {
    language.id() == "ruby"
}

/// Removes the separators beside a hole for any number of things, which includes them.
fn without_separators_of_many(parts: Vec<Part>) -> Vec<Part> {
    let is_free = |it: Option<&Part>| matches!(it, Some(Part::Many { is_one_item: false, .. }));
    let is_separator = |it: &Part| matches!(it, Part::Leaf { text } if text == "," || text == ";");
    let is_kept = |index: usize| {
        let before = index.checked_sub(1).and_then(|it| parts.get(it));
        !(is_separator(&parts[index]) && (is_free(before) || is_free(parts.get(index + 1))))
    };
    (0..parts.len()).filter(|it| is_kept(*it)).map(|it| parts[it].clone()).collect()
}

/// Returns the texts that occur in all of the shapes.
pub(super) fn common_words(shapes: &[Shape]) -> Vec<String> {
    let mut each = shapes.iter().map(|shape| {
        let mut words = BTreeSet::new();
        add_words(&shape.parts, &mut words);
        words
    });
    let first = each.next().unwrap_or_default();
    each.fold(first, |common, words| common.intersection(&words).cloned().collect()).into_iter().collect()
}

fn add_words(parts: &[Part], words: &mut BTreeSet<String>) {
    for part in parts {
        match part {
            Part::Leaf { text } if text.len() > 1 || text.chars().any(char::is_alphanumeric) => {
                words.insert(text.clone());
            }
            Part::Node { parts, .. } => add_words(parts, words),
            Part::Literal { content: Content::Exactly(spelled), .. } => {
                words.extend(literal::words(spelled).map(str::to_owned));
            }
            Part::Leaf { .. } | Part::Any { .. } | Part::Many { .. } | Part::Literal { .. } => {}
        }
    }
}
