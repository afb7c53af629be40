//! Layout of definitions: on one line if it fits, or broken at brackets with a line for each item.

use super::page::page;
use super::piece::Piece;
use super::tree::{Group, GroupItem, Node};

/// The preferred maximum line length, in characters.
const WIDTH: usize = 100;

/// Pieces with the line breaks of the layout.
#[derive(Default)]
pub(super) struct Layout<'source> {
    pub(super) pieces: Vec<Piece<'source>>,
}

impl<'source> Layout<'source> {
    /// Adds a definition, with its clauses on lines of their own, and a body behind them too.
    pub(super) fn definition(&mut self, nodes: &[Node<'source>], lines: usize) {
        let is_clause =
            |node: &Node<'_>| matches!(node, Node::Leaf(it) if it.is_word(&["requires", "throws"]));
        let is_tool = matches!(nodes.first(), Some(Node::Leaf(word)) if word.is_word(&["tool"]));
        let mut starts: Vec<usize> =
            (2..nodes.len()).filter(|at| is_tool && is_clause(&nodes[*at])).collect();
        if !starts.is_empty() && matches!(nodes.last(), Some(Node::Body(_))) {
            starts.push(nodes.len() - 1);
        }
        let mut from = 0;
        for to in starts.into_iter().chain([nodes.len()]) {
            let (lines, indent) = if from == 0 { (lines, 0) } else { (1, 2) };
            self.nodes(&nodes[from..to], lines, indent, 0);
            from = to;
        }
    }

    /// Adds nodes that start a line at column `indent`; `tail` characters follow on the last line.
    fn nodes(&mut self, nodes: &[Node<'source>], lines: usize, indent: usize, tail: usize) {
        if fits(nodes, indent + tail) {
            return self.flat(nodes, lines);
        }
        let is_bar = |node: &Node<'_>| matches!(node, Node::Leaf(it) if it.is_mark(&["|"]) && !it.computes);
        let bars: Vec<usize> = (0..nodes.len()).filter(|at| is_bar(&nodes[*at])).collect();
        let mut from = 0;
        for to in bars.iter().copied().chain([nodes.len()]).filter(|to| *to > 0) {
            let (lines, indent) = if from == 0 { (lines, indent) } else { (1, indent + 2) };
            self.segment(&nodes[from..to], lines, indent, if to == nodes.len() { tail } else { 0 });
            from = to;
        }
    }

    /// Adds nodes that can be broken only at their brackets.
    fn segment(&mut self, nodes: &[Node<'source>], lines: usize, indent: usize, tail: usize) {
        if fits(nodes, indent + tail) {
            return self.flat(nodes, lines);
        }
        let mut line = self.pieces.len();
        for (index, node) in nodes.iter().enumerate() {
            let lines = if index == 0 { lines } else { 0 };
            match node {
                Node::Group(group) if !group.items.is_empty() || !group.tail.is_empty() => {
                    let rest = &nodes[index..];
                    let upto = rest[1..].iter().position(|it| matches!(it, Node::Group(_)));
                    let upto = upto.map_or(rest.len(), |upto| upto + 1);
                    let is_last = upto == rest.len();
                    let column = indent + width(&self.pieces[line..]);
                    if fits(&rest[..upto], column + 1 + if is_last { tail } else { 1 }) {
                        self.flat(&nodes[index..=index], lines);
                    } else {
                        self.group(group, lines, indent);
                        line = self.pieces.len() - 1;
                    }
                }
                node => self.flat(std::slice::from_ref(node), lines),
            }
        }
    }

    fn group(&mut self, group: &Group<'source>, lines: usize, indent: usize) {
        self.pieces.push(group.open.with_lines(lines));
        for (index, item) in group.items.iter().enumerate() {
            let is_last = index + 1 == group.items.len();
            self.item(item, indent + 2, index == 0, !is_last && group.commas);
        }
        for comment in &group.tail {
            self.pieces.push(comment.with_lines(comment.lines.clamp(1, 2)));
        }
        self.pieces.push(group.close.with_lines(1));
    }

    fn item(&mut self, item: &GroupItem<'source>, indent: usize, is_first: bool, comma: bool) {
        let most = if is_first { 1 } else { 2 };
        let mut least = 1;
        for comment in &item.above {
            let most = if least == 1 { most } else { 2 };
            self.pieces.push(comment.with_lines(comment.lines.clamp(least, most)));
            least = 0;
        }
        let lines = item.nodes.first().map_or(1, Node::lines);
        let most = if item.above.is_empty() { most } else { 2 };
        self.nodes(&item.nodes, lines.clamp(least, most), indent, usize::from(comma));
        if comma {
            self.pieces.push(Piece::comma());
        }
        self.pieces.extend(item.behind.iter().map(|comment| comment.with_lines(0)));
    }

    /// Adds nodes on one line; bodies keep their lines.
    fn flat(&mut self, nodes: &[Node<'source>], lines: usize) {
        let first = self.pieces.len();
        for node in nodes {
            match node {
                Node::Leaf(piece) => self.pieces.push(piece.with_lines(0)),
                Node::Body(pieces) => {
                    let lines = self.body(pieces);
                    self.pieces.extend(lines);
                }
                Node::Group(group) => self.flat_group(group),
            }
        }
        if let Some(piece) = self.pieces.get_mut(first) {
            piece.lines = lines;
        }
    }

    fn body(&self, pieces: &[Piece<'source>]) -> Vec<Piece<'source>> {
        let mut last = false;
        let lines = pieces.iter().enumerate().map(|(index, piece)| {
            let closes = piece.is_mark(&["}"]);
            let most = if last || closes { 1 } else { 2 };
            last = piece.is_mark(&["{"]);
            piece.with_lines(if index == 0 { 0 } else { piece.lines.min(most) })
        });
        lines.collect()
    }

    fn flat_group(&mut self, group: &Group<'source>) {
        self.pieces.push(group.open.with_lines(0));
        for (index, item) in group.items.iter().enumerate() {
            self.pieces.extend(item.above.iter().map(|it| it.with_lines(0)));
            self.flat(&item.nodes, 0);
            if index + 1 < group.items.len() {
                self.pieces.push(Piece::comma());
            }
            self.pieces.extend(item.behind.iter().map(|it| it.with_lines(0)));
        }
        self.pieces.extend(group.tail.iter().map(|it| it.with_lines(0)));
        self.pieces.push(group.close.with_lines(0));
    }
}

impl Node<'_> {
    fn lines(&self) -> usize {
        match self {
            Self::Leaf(piece) => piece.lines,
            Self::Group(group) => group.open.lines,
            Self::Body(_) => 0,
        }
    }

    /// Returns `true` if the node can stand on one line.
    fn is_flat(&self) -> bool {
        match self {
            Self::Leaf(piece) => !piece.ends_line(),
            Self::Body(_) => true,
            Self::Group(group) => {
                let comments = group.items.iter().flat_map(|item| item.above.iter().chain(&item.behind));
                let comments: Vec<_> = comments.chain(&group.tail).collect();
                let nodes = group.items.iter().flat_map(|item| &item.nodes);
                (!group.by_line || group.items.is_empty())
                    && comments.iter().all(|it| !it.ends_line() && it.lines == 0)
                    && nodes.into_iter().all(Self::is_flat)
            }
        }
    }
}

/// Returns `true` if nodes fit on a line that has `taken` characters already.
fn fits(nodes: &[Node<'_>], taken: usize) -> bool {
    if !nodes.iter().all(Node::is_flat) {
        return false;
    }
    let mut layout = Layout::default();
    let head = nodes.iter().filter(|node| !matches!(node, Node::Body(_)));
    layout.flat(&head.cloned().collect::<Vec<_>>(), 0);
    taken + width(&layout.pieces) <= WIDTH
}

fn width(pieces: &[Piece<'_>]) -> usize {
    page(pieces, "\n").chars().count()
}
