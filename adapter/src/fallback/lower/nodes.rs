//! A file's outline by its syntax, in the shape that a server's has.

use ide_protocol::{Column, Line, Point};
use source_text::{Encoding, Span};
use syntax::{Kind, Outline};

use crate::fallback::outline::{Extent, Node};
use crate::fallback::text::Text;

/// What a file defines, nested.
pub(super) fn nodes(text: &Text, outline: &Outline) -> Vec<Node> {
    // Each stands before those inside it: from the last to the first, whole nodes go to their parents.
    let mut children: Vec<Vec<Node>> = vec![Vec::new(); outline.definitions.len()];
    let mut top = Vec::new();
    for index in (0..outline.definitions.len()).rev() {
        let mut inside = std::mem::take(&mut children[index]);
        inside.reverse();
        let node = node(text, outline, index, inside);
        match outline.definitions[index].parent {
            Some(parent) => children[parent].push(node),
            None => top.push(node),
        }
    }
    top.reverse();
    top
}

fn node(text: &Text, outline: &Outline, index: usize, children: Vec<Node>) -> Node {
    let definition = &outline.definitions[index];
    let kind = if definition.kind == Kind::Extension { "object" } else { definition.kind.word() };
    Node {
        name: definition.name.clone(),
        owner: definition.owner.clone(),
        kind,
        whole: extent(text, definition.whole),
        name_at: extent(text, definition.name_at),
        children,
    }
}

fn extent(text: &Text, span: Span) -> Extent {
    Extent { start: point(text, span.start), end: point(text, span.end) }
}

fn point(text: &Text, offset: usize) -> Point {
    let (line, column) = text.index().position(text.as_str(), offset, Encoding::Utf32);
    Point { line: Line::from_index(line), column: Column::from_index(column) }
}
