//! Definitions made by the entries of a macro call: `name: …` or `name => …`, one after the other.

use source_text::Span;
use tree_sitter::Node;

use crate::parsed::span;

/// A name in a macro call, with the value that belongs to it.
#[derive(Debug)]
pub(super) struct Entry<'tree> {
    pub(super) name: Node<'tree>,
    /// The span up to the next entry, without separators at its end.
    pub(super) span: Span,
}

/// The number of parenthesised values from which entries are no settings of one thing.
const SEVERAL: usize = 3;

/// Returns the entries between brackets; none if other tokens come first. With `is_blocks`, entries that may be
/// settings of one thing are left out: those whose values are neither blocks in braces nor several in parentheses.
pub(super) fn entries<'tree>(tree: Node<'tree>, text: &str, is_blocks: bool) -> Vec<Entry<'tree>> {
    let says = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    let is_separator = |node: Node<'_>| matches!(says(node), "," | ";");
    let mut cursor = tree.walk();
    let tokens: Vec<_> = tree.children(&mut cursor).filter(|it| !it.is_extra()).collect();
    let [_, tokens @ .., _] = tokens.as_slice() else { return Vec::new() };
    // Attributes, `#[…]`, precede their entry.
    let is_attribute = |at: usize| says(tokens[at]) == "#" && tokens.get(at + 1).is_some_and(is_brackets);
    let starts_entry = |at: usize| {
        let is_behind_value =
            at.checked_sub(1).is_none_or(|it| is_separator(tokens[it]) || is_brackets(&tokens[it]));
        let leads_on = tokens.get(at + 1).is_some_and(|it| matches!(says(*it), ":" | "=>"));
        is_behind_value && leads_on && tokens[at].kind() == "identifier"
    };
    let mut values: Vec<(usize, Vec<Node<'tree>>)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if starts_entry(at) {
            values.push((at, Vec::new()));
            at += 2;
        } else if is_attribute(at) {
            at += 2;
        } else {
            let Some((_, value)) = values.last_mut() else { return Vec::new() };
            value.push(tokens[at]);
            at += 1;
        }
    }
    for (_, value) in &mut values {
        let end = value.iter().rposition(|it| !is_separator(*it)).map_or(0, |it| it + 1);
        value.truncate(end);
    }
    let is_one =
        |value: &[Node<'_>], opening: &[char]| matches!(value, [it] if says(*it).starts_with(opening));
    let are_all = |opening: &[char]| values.iter().all(|(_, value)| is_one(value, opening));
    if is_blocks && !are_all(&['{']) && !(values.len() >= SEVERAL && are_all(&['{', '('])) {
        return Vec::new();
    }
    let entry = |(at, value): (usize, Vec<Node<'tree>>)| {
        let (name, last) = (tokens[at], value.last().copied().unwrap_or(tokens[at + 1]));
        Entry { name, span: span(&name).join(span(&last)) }
    };
    values.into_iter().map(entry).collect()
}

fn is_brackets(node: &Node<'_>) -> bool {
    node.kind() == "token_tree"
}
